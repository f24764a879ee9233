"""The clipboard, as far as a phone tells it over adb: on Android 10 and later only where a helper app is installed."""

from __future__ import annotations

import re

from pytest_layered_phone.devices.types import Device
from pytest_layered_phone.errors import DeviceError

HELPER = "ca.zgrs.clipper"
_DONE = re.compile(r"Broadcast completed: result=(-?\d+)(?:, data=\"(.*)\")?\s*\Z", re.DOTALL)


def read_clipboard(device: Device) -> str:
    """What stands in the clipboard, by the helper app clipper.

    Raises:
        DeviceError: FACT_NOT_AVAILABLE: there is no helper, or Android did not let it read.
    """
    done = device.shell(["am", "broadcast", "-a", "clipper.get", "-n", f"{HELPER}/.ClipperReceiver"])
    found = _DONE.search(done.stdout)
    if found is not None and found[1] == "-1" and found[2] is not None:
        return found[2]
    raise DeviceError(
        "this phone does not tell its clipboard over adb: the shell has no command for it, and since Android 10 only the app "
        "in front and the keyboard may read it", code="FACT_NOT_AVAILABLE",
        suggestion=f"Paste into a field and assert on the screen, or install the helper {HELPER} and bring it to the front.",
    )  # fmt: skip
