"""What a virtual phone is made of: the figures that its maker chooses."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PhoneSpec:
    """The hardware and the first boot of a virtual phone.

    Attributes:
        width: pixels of the short side, as held upright.
        height: pixels of the long side, as held upright.
        density: dots per inch as Android counts them; 160 dpi is one pixel per dp.
        landscape: whether the phone starts turned by 90 degrees.
        model: what `ro.product.model` says.
        release: the Android version that it claims, as text.
        sdk: the API level that it claims.
        locale: language tag; labels are Chinese where it starts with `zh`.
        font_scale: factor on all text sizes.
        serialno: `ro.serialno`; many emulators share one.
        adbkeyboard: whether the package com.android.adbkeyboard is installed (it is not enabled).
    """

    width: int = 1080
    height: int = 2400
    density: int = 420
    landscape: bool = False
    model: str = "Virtual Phone"
    release: str = "14"
    sdk: int = 34
    locale: str = "en-US"
    font_scale: float = 1.0
    serialno: str = "EMULATOR0"
    adbkeyboard: bool = True

    @property
    def chinese(self) -> bool:
        return self.locale.lower().startswith("zh")
