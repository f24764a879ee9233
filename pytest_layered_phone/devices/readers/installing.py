"""What the package manager says to an install, an uninstall, a grant and a revoke; with a remedy for the common refusals."""

from __future__ import annotations

import re

from pytest_layered_phone.errors import AppError

_NAMED = re.compile(r"\b((?:INSTALL|DELETE)_(?:PARSE_)?(?:FAILED|CANCELED)_?\w*)(?:: ?([^\n]*))?")
_SUCCESS = re.compile(r"^[ \t]*Success(?::.*)?[ \t\r]*$", re.MULTILINE)
_NO_SUCCESS = re.compile(r"^[ \t]*(?:Failure|Error|Exception occurred)\b", re.MULTILINE)
_MIUI = "Allow “Install via USB” in the developer options (MIUI, HyperOS, ColorOS), and confirm the dialog on the phone."

REMEDIES: dict[str, str] = {
    "INSTALL_FAILED_ALREADY_EXISTS": "The app is installed already: install with replace=True, or uninstall it first.",
    "INSTALL_FAILED_VERSION_DOWNGRADE": "A newer version is installed: uninstall it, or install with downgrade=True "
    "(Android 10 and later do that for debuggable apps only).",
    "INSTALL_FAILED_UPDATE_INCOMPATIBLE": "The installed app is signed with another key: uninstall it first (its data go).",
    "INSTALL_FAILED_SHARED_USER_INCOMPATIBLE": "An app with the same shared user is signed with another key: uninstall it.",
    "INSTALL_FAILED_INSUFFICIENT_STORAGE": "Free storage on the phone: `adb shell df /data` shows it.",
    "INSTALL_FAILED_NO_MATCHING_ABIS": "The app's native libraries are for another processor: build it for the phone's "
    "(`adb shell getprop ro.product.cpu.abilist`), or take another phone.",
    "INSTALL_FAILED_CPU_ABI_INCOMPATIBLE": "The app's native libraries are for another processor than the phone's.",
    "INSTALL_FAILED_OLDER_SDK": "The app needs a newer Android than the phone has: @pytest.mark.phone(api=…) asks for one.",
    "INSTALL_FAILED_NEWER_SDK": "The app was built for older phones only (maxSdkVersion): take an older phone.",
    "INSTALL_FAILED_DEPRECATED_SDK_VERSION": "The phone refuses apps that are built for so old an Android: raise targetSdk.",
    "INSTALL_FAILED_TEST_ONLY": "The build is marked testOnly and this phone refuses such: build it as an ordinary debug APK.",
    "INSTALL_FAILED_USER_RESTRICTED": _MIUI,
    "INSTALL_FAILED_ABORTED": "Somebody or a scan on the phone refused it: confirm the dialog, or switch the scan off.",
    "INSTALL_FAILED_VERIFICATION_FAILURE": "Play Protect or a policy refused it: switch off “Verify apps over USB”.",
    "INSTALL_FAILED_VERIFICATION_TIMEOUT": "Play Protect did not answer in time: switch off “Verify apps over USB”.",
    "INSTALL_FAILED_MISSING_SPLIT": "The base alone is not enough: name its splits in the same call.",
    "INSTALL_FAILED_INVALID_APK": "Base and splits must be of one build and one package, with exactly one base.",
    "INSTALL_FAILED_MISSING_SHARED_LIBRARY": "The app needs a library that this phone does not have: take another phone.",
    "INSTALL_FAILED_CONFLICTING_PROVIDER": "Another app has the same provider: uninstall it, often an older build of this app.",
    "INSTALL_FAILED_DUPLICATE_PERMISSION": "Another app defines the same permission: uninstall it, often an older build.",
    "INSTALL_FAILED_DEXOPT": "The phone could not compile the app, mostly for lack of storage.",
    "INSTALL_FAILED_MEDIA_UNAVAILABLE": "The storage that the app wants is not there: `adb shell sm list-volumes`.",
    "INSTALL_FAILED_INVALID_URI": "The phone could not read the file: look for free storage in /data/local/tmp.",
    "INSTALL_PARSE_FAILED_NOT_APK": "The file is no APK, or was cut off: build or download it again.",
    "INSTALL_PARSE_FAILED_NO_CERTIFICATES": "The APK is not signed, or not in a way that this Android knows: sign it "
    "(apksigner), with v1 too for Android before 7.",
    "INSTALL_PARSE_FAILED_INCONSISTENT_CERTIFICATES": "The installed app is signed with another key: uninstall it first.",
    "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED": "The APK's manifest is not as Android wants it; the reason names the line.",
    "INSTALL_CANCELED_BY_USER": _MIUI,
    "DELETE_FAILED_DEVICE_POLICY_MANAGER": "The app is a device administrator: take that from it in the phone's settings.",
    "DELETE_FAILED_INTERNAL_ERROR": "The app belongs to the system, or is protected: `adb shell pm disable-user` may do.",
    "DELETE_FAILED_OWNER_BLOCKED": "A profile owner keeps the app.",
    "DELETE_FAILED_USER_RESTRICTED": _MIUI,
}


def named_refusal(text: str) -> AppError | None:
    """The error for an answer that holds Android's own name of a refusal; None where it holds none."""
    found = _NAMED.search(text)
    if found is None:
        return None
    code, reason = found[1], (found[2] or "").strip().rstrip("]").strip()
    return AppError(
        f"Android refused: {code} {reason[:300]}".strip(), code=code,
        suggestion=REMEDIES.get(code, "Android's name for the reason says what to change."),
    )  # fmt: skip


def check_installed(text: str, exit_code: int | None = None) -> None:
    """Raises AppError where an install, a step of one, or an uninstall did not say that it worked."""
    if refusal := named_refusal(text):
        raise refusal
    if _SUCCESS.search(text) and not exit_code and not _NO_SUCCESS.search(text):
        return
    said = " / ".join(line.strip() for line in text.splitlines() if line.strip())[:300]
    if re.search(r"not installed for|Unknown package", said):
        raise AppError(said, code="APP_NOT_FOUND", suggestion="Check the package: `adb shell pm list packages`.")
    if "INSTALL_GRANT_RUNTIME_PERMISSIONS" in said:
        raise AppError(
            f"the phone does not let adb grant permissions: {said}", code="GRANT_NOT_ALLOWED",
            suggestion="Switch on “USB debugging (Security settings)” in the developer options, or install with grant=False.",
        )  # fmt: skip
    if re.search(r"Can't find service|not found|inaccessible", said):
        raise AppError(said, code="PM_UNAVAILABLE", retryable=True, suggestion="Wait until the phone has started up.")
    if _NO_SUCCESS.search(text) or re.search(r"^Exception|\w+Exception\b", text, re.MULTILINE):
        raise AppError(said, code="INSTALL_REFUSED", suggestion="Install it by hand with `adb install` and look.")
    raise AppError(
        said or "the package manager said nothing", code="INSTALL_UNCONFIRMED",
        suggestion="Whether it worked is unknown: look at the phone, there may be a dialog to confirm.",
    )  # fmt: skip


def read_session(text: str) -> str:
    """`install-create`: the number of the session. Raises AppError where there is none."""
    found = re.search(r"Success: created install session \[(\d+)\]", text)
    if found:
        return found[1]
    check_installed("" if "Success" in text else text)
    raise AppError(f"no install session in {text.strip()[:200]!r}", code="INSTALL_UNCONFIRMED")


def runtime_permissions(dump: str) -> list[str]:
    """The names that `dumpsys package` lists as runtime permissions, granted or not, of whatever app and user."""
    found: dict[str, None] = {}
    inside = False
    for line in dump.replace("\r\n", "\n").split("\n"):
        if line.strip().endswith(":"):
            inside = line.strip() == "runtime permissions:"
        elif inside and (name := re.match(r"\s*([\w.]+): granted=", line)):
            found[name[1]] = None
    return list(found)


def check_permission_change(text: str, exit_code: int, package: str, permission: str) -> None:
    """Raises AppError where `pm grant` or `pm revoke` refused; both are silent when they worked."""
    what = f"{permission} of {package}"
    cases = (
        (r"Unknown package", "APP_NOT_FOUND", f"{package} is not installed",
         "Check the package: `adb shell pm list packages`."),
        (r"Unknown permission", "PERMISSION_UNKNOWN", f"this phone knows no permission {permission}",
         "Correct the name; some permissions exist on newer or older Androids only."),
        (r"has not requested permission", "PERMISSION_NOT_REQUESTED", f"{package} does not ask for {permission}",
         "Only what stands in the app's manifest can be granted."),
        (r"not a changeable permission|managed by role|not a runtime", "PERMISSION_NOT_CHANGEABLE",
         f"{what} cannot be changed", "It is given at installing, or belongs to a role of the system."),
        (r"GRANT_RUNTIME_PERMISSIONS|REVOKE_RUNTIME_PERMISSIONS", "GRANT_NOT_ALLOWED",
         "the phone does not let adb change permissions",
         "Switch on “USB debugging (Security settings)” in the developer options (MIUI, ColorOS, OriginOS)."),
    )  # fmt: skip
    for pattern, code, message, remedy in cases:
        if re.search(pattern, text):
            raise AppError(message, code=code, suggestion=remedy)
    if exit_code or re.search(r"Exception|^Error|^Failure|^Operation not allowed", text, re.MULTILINE):
        said = next((line.strip() for line in text.splitlines() if re.search("Exception:|Error|Fail", line)), text.strip())
        raise AppError(
            f"the phone did not change {what}: {said[:200] or f'exit {exit_code}'}", code="PERMISSION_REFUSED",
            suggestion="Run `adb shell pm grant` by hand and look.",
        )  # fmt: skip
