"""Asking the phone for its element list."""

from __future__ import annotations

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.readers.hierarchy import dump_failure, read_hierarchy
from pytest_layered_phone.devices.readers.hierarchy_windows import hierarchy_of_display
from pytest_layered_phone.devices.types import ElementTree

_FILE = "/data/local/tmp/layered-phone-window.xml"
# Removed before: a failed dump leaves the file of the last one, which would be read as fresh.
_COMMAND = f"rm -f {_FILE}; uiautomator dump {{options}}{_FILE}; code=$?; cat {_FILE}; rm -f {_FILE}; exit $code"


def dump_elements(transport: AdbTransport, display: int = 0, *, timeout_s: float = 20.0) -> ElementTree:
    """The element list of a display as it is now. Raises HierarchyError, named, where the phone gives none."""
    limit = max(transport.timeout_s, timeout_s)
    # An option that names the display is passed over in silence by most phones, which then list the main one.
    command = _COMMAND.format(options="--windows " if display else "")
    done = transport.looking(lambda: transport.shell(command, timeout_s=limit))
    if "<hierarchy" not in done.stdout:
        failure = dump_failure(done.stdout + "\n" + done.stderr, done.exit_code)
        if failure:
            raise failure
        return read_hierarchy(done.stdout + done.stderr, done.exit_code)
    text = hierarchy_of_display(done.stdout, display) if display else done.stdout
    return read_hierarchy(text, done.exit_code)
