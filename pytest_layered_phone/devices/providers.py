"""Phones that come from somewhere else than an adb server's list: started, borrowed from a farm, …

A word of `--device` that begins with the name of a provider, alone or before a colon (`virtual`, `virtual:4`, `avd:Pixel_8`,
`farm:any`), is handed to that provider as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol, runtime_checkable

from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.errors import PhoneError, SettingsError

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")
_NOT_THEIRS = {"adb", "auto", "localhost"}


class PhoneProvider(Protocol):
    """Turns the words of one scheme into phones.

    Under xdist the controller's provider starts the phones, once for all workers; the workers are told which they are, and
    never call `resolve`.
    """

    def check(self, word: str) -> None:
        """Raises SettingsError where a word is written wrongly; asks and starts nothing."""
        ...

    def count(self, word: str) -> int | None:
        """How many phones a word means, without starting any; None where as many as wanted can be had or nobody knows."""
        ...

    def resolve(self, word: str) -> list[PhoneRef]:
        """Starts or borrows what a word means, and says how it is reached. Called once a session for each word.

        The phones must answer adb at the server that they name. `api`, `model` and so on are asked of the phone where the
        provider leaves them out.

        Raises:
            PhoneError: it cannot be done; told by every test that then finds no phone.
        """
        ...

    def close(self) -> None:
        """Ends what was started, gives back what was borrowed. Called at the end of every process."""
        ...


@runtime_checkable
class LendingProvider(PhoneProvider, Protocol):
    """What a provider has besides where each phone must be asked for at a farm before a test and given back after it.

    Both are called by the process that runs the test, while it holds the lease of the phone, on that process's own provider.
    """

    def acquire(self, phone: PhoneRef, holder: str) -> PhoneRef:
        """Reserves a phone for a test; returns how it is reached now (the identity stays).

        Raises:
            DeviceError: the farm does not give it: another phone is tried.
        """
        ...

    def release(self, phone: PhoneRef) -> None:
        """Gives back what `acquire` returned."""
        ...


Register = Callable[[str, PhoneProvider], None]


class Providers:
    """The providers of a process by their scheme."""

    def __init__(self) -> None:
        self._providers: dict[str, PhoneProvider] = {}

    @property
    def schemes(self) -> list[str]:
        return sorted(self._providers)

    def register(self, scheme: str, provider: PhoneProvider) -> None:
        """Adds a provider.

        Raises:
            SettingsError: the scheme is no word, or taken.
        """
        if not _SCHEME.fullmatch(scheme) or scheme in _NOT_THEIRS:
            raise SettingsError(
                f"a provider of phones cannot be called {scheme!r}",
                suggestion="Use small letters and digits, and not " + ", ".join(sorted(_NOT_THEIRS)) + ".",
            )
        if scheme in self._providers:
            raise SettingsError(
                f"two providers of phones are called {scheme!r}", suggestion="Register the second under another name."
            )
        self._providers[scheme] = provider

    def find(self, word: str) -> tuple[str, PhoneProvider] | None:
        """Scheme and provider of a word; None where it is a serial or an address."""
        scheme = word.partition(":")[0]
        provider = self._providers.get(scheme)
        return (scheme, provider) if provider is not None else None

    def of(self, phone: PhoneRef) -> PhoneProvider | None:
        return self._providers.get(phone.scheme)

    def close(self) -> list[str]:
        """Closes all, whatever happens; returns what went wrong."""
        wrong = []
        for scheme, provider in self._providers.items():
            try:
                provider.close()
            except Exception as error:  # a stranger's code: the others must still be closed
                wrong.append(f"{scheme}: {error.message if isinstance(error, PhoneError) else error!r}")
        self._providers.clear()
        return wrong


def number_after(word: str, default: int, *, example: str) -> int:
    """The number in `scheme:N`; `default` where there is no colon.

    Raises:
        SettingsError: what follows the colon is no number of at least 1.
    """
    _, colon, number = word.partition(":")
    if not colon:
        return default
    if not re.fullmatch(r"[1-9]\d{0,2}", number):
        raise SettingsError(f"{word!r} in --device does not name a number of phones", suggestion=f"Write {example}.")
    return int(number)


__all__ = ["LendingProvider", "PhoneProvider", "Providers", "Register", "number_after"]
