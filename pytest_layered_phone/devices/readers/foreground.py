"""What has the focus: `dumpsys window`, `dumpsys activity`, `dumpsys input`, in the forms of Android 4 to 17."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from pytest_layered_phone.devices.readers.adb_errors import check_answered
from pytest_layered_phone.devices.types import Foreground

_NAME = r"[\w.$\-]+"
_COMPONENT = re.compile(rf"(?P<package>[A-Za-z][\w.]*)/(?P<cls>{_NAME})")
# Window{hash u0 TITLE}; before Android 4.2 without the user; some lines lost the blank after it, some end in a second brace.
# Samsung puts display and process numbers behind the user.
_WINDOW = re.compile(r"Window\{(?P<id>\S+?)(?: u\d*(?: |(?=[a-z]))| )(?:[dp]\d+ )*(?P<title>[^{}]*)\}?")
_ACTIVITY = re.compile(r"ActivityRecord\{(?P<id>\S+)(?: u\d*)? (?P<rest>[^{}]*)")
_FOCUS = re.compile(r"^\s*(?:\S.*\s)?mCurrentFocus=(?P<value>.*)$")
_FOCUSED_APP = re.compile(r"^\s*(?:\S.*\s)?mFocusedApp=(?P<value>.*)$")
_DISPLAY = re.compile(r"Display: mDisplayId=(\d+)")
_PERMISSION = re.compile(r"GrantPermissionsActivity|permissioncontroller|packageinstaller.*[Pp]ermission")
# Windows of the system that take the focus above an app.
_OWNED_TITLES = re.compile(r"^(?:PopupWindow|SubPanel|AtchDlg|Toast|PopupMenu|Dialog|ListPopup)")


@dataclass(frozen=True)
class FocusReading:
    """What the dump tells. Empty texts and None where it does not; nothing is guessed.

    Attributes:
        kind: `app`, `dialog`, `popup`, `keyguard`, `crash`, `anr`, `system` or `none`.
        focused_window: title of the focused window.
        locked: whether the keyguard keeps input from apps.
        screen_on: whether the screen is on.
        candidates: several activities are resumed and nothing decides between them.
        told: whether the dump has a line about the focus at all; where not, ask another dump.
    """

    kind: str
    package: str = ""
    activity: str = ""
    focused_window: str = ""
    locked: bool | None = None
    screen_on: bool | None = None
    candidates: tuple[str, ...] = ()
    told: bool = True

    @property
    def foreground(self) -> Foreground:
        return Foreground(self.package, self.activity, self.kind)


def widen(package: str, cls: str) -> str:
    """The full class name: `.Foo` and a bare `Foo` belong to the package."""
    return package + cls if cls.startswith(".") else cls


def component(text: str) -> tuple[str, str]:
    """Package and full class of the first `package/class` in a text; empty where there is none."""
    for found in _COMPONENT.finditer(text):
        if found["cls"].startswith(".."):
            return "", ""
        if "." in found["package"] or found["package"] == "android":  # all others are words: a window may be called “on/off”
            return found["package"], widen(found["package"], found["cls"])
    return "", ""


def read_foreground(text: str) -> FocusReading:
    """Reads any of the dumps named above; `told` is False where it says nothing about the focus."""
    locked, screen_on = _locked(text), _screen_on(text)
    focus, app, seen = _focus_lines(text)
    reading = _judge(focus, app, text) if seen else _from_app(app) or _from_activities(text) or _from_other(text)
    if locked:
        # The lock screen stands before everything, whatever keeps the focus on paper.
        kind = reading.kind if reading.kind in ("crash", "anr") else "keyguard"
        return replace(reading, kind=kind, locked=True, screen_on=screen_on, candidates=(), told=True)
    if not reading.told:
        check_answered(text, "dumpsys")
    return replace(reading, locked=reading.locked if locked is None else locked, screen_on=screen_on)


# -- mCurrentFocus and mFocusedApp -------------------------------------------------------------------------------------------


def _focus_lines(text: str) -> tuple[str, str, bool]:
    """Focused window title and focused app record of the display that has them; the default display first."""
    display, marked = 0, False
    focuses: list[tuple[int, str]] = []
    apps: list[tuple[int, str]] = []
    seen = False
    for line in text.splitlines():
        if found := _DISPLAY.search(line):
            display, marked = int(found.group(1)), True
        if found := _FOCUS.match(line):
            seen = True
            if window := _WINDOW.search(found["value"]):
                focuses.append((display, window["title"].strip()))
        elif (found := _FOCUSED_APP.match(line)) and (record := _ACTIVITY.search(found["value"])):
            apps.append((display, record["rest"].strip()))
    if marked:
        focuses.sort(key=lambda item: item[0] != 0)  # stable: within a display the order of the dump
    else:
        focuses.reverse()  # lines alone: the display that has the focus is dumped last, and of several dumps the last counts
    focus = focuses[0][1] if focuses else ""
    return focus, _matching_app(focus, apps), seen


def _matching_app(focus: str, apps: list[tuple[int, str]]) -> str:
    """Of several displays' apps the one that the focused window belongs to, else the default display's, else the last."""
    if not apps:
        return ""
    package, _ = component(focus)
    for _, record in apps:
        if package and component(record)[0] == package:
            return record
    defaults = [record for display, record in apps if display == 0]
    return (defaults or [record for _, record in apps])[-1]


def _judge(focus: str, app: str, text: str) -> FocusReading:
    package, activity = component(app)
    if not package and "/" in app:
        package = app.split("/")[0].split()[-1]
    title = focus.split(" paused=")[0].strip()
    if not title:
        return FocusReading("none", told=True)
    for kind, mark in (("anr", "Application Not Responding: "), ("crash", "Application Error: ")):
        if title.startswith(mark):
            owner = re.match(r"[\w.]*", title.removeprefix(mark).strip())  # of a process such as com.example:remote
            return FocusReading(kind, owner.group() if owner else "", "", title)
    if starting := re.fullmatch(r"(?:Splash Screen|Starting) ([A-Za-z][\w.]*)", title):  # drawn in the app's stead
        owner_of = starting.group(1)
        return FocusReading("app", owner_of, activity if owner_of == package else "", title)
    window_package, window_activity = component(title)
    if window_package:
        kind = "dialog" if _PERMISSION.search(title) else "app"
        return FocusReading(kind, window_package, window_activity, title)
    # Before Android 5 the lock screen is a window of its own; it has the focus only while it shows.
    if title == "Keyguard" or (title.startswith(("Keyguard", "NotificationShade")) and _is_keyguard(text)):
        return FocusReading("keyguard", package, activity, title, locked=True)
    if _OWNED_TITLES.match(title):
        return FocusReading("popup", package, activity, title)
    if re.fullmatch(r"[a-zA-Z]\w*(?:\.\w+)+", title):
        # A title of one's own that is a package: the window is that package's; the app under it is another matter.
        return FocusReading("app" if title == package else "system", title, activity if title == package else "", title)
    if not app:
        return FocusReading("system", "", "", title)
    if title in ("StatusBar", "NotificationShade") or _ELLIPSIS.search(app) or not activity:
        return FocusReading("system", package, activity, title)
    return FocusReading("system" if ":" in title else "dialog", package, activity, title)


_POPUP_OWNER = re.compile(r"Window\{[^}]*PopupWindow:[^}]*\}:?\s*\n\s*(?:mAttachedWindow|mParentWindow)=Window\{([^}]*)\}")
_ELLIPSIS = re.compile(r"/?\.\.\.")


def _from_app(app: str) -> FocusReading | None:
    """No line about the focused window: the focused app has to do."""
    package, activity = component(app)
    return FocusReading("app", package, activity) if package else None


# -- other dumps -------------------------------------------------------------------------------------------------------------


def _from_activities(text: str) -> FocusReading | None:
    """`dumpsys activity activities | top`, where no window dump was had."""
    for pattern in (r"topResumedActivity=(.*)", r"mFocusedActivity: (.*)"):
        if found := re.search(pattern, text):
            package, activity = component(found.group(1))
            if package:
                return FocusReading("app", package, activity)
    resumed = list(dict.fromkeys(component(found) for found in re.findall(r"[rR]esumedActivity[:=] ?(.*)", text)))
    resumed = [item for item in resumed if item[0]]
    if len(resumed) == 1:
        return FocusReading("app", *resumed[0])
    if resumed:
        return FocusReading("none", candidates=tuple("/".join(item) for item in resumed), told=False)
    for block in re.split(r"(?m)^\s*(?=ACTIVITY )", text):
        if "mResumed=true" in block and (found := re.match(r"ACTIVITY (\S+)", block)):
            return FocusReading("app", *component(found.group(1)))
    if re.search(r"(?m)^\s*(?:ACTIVITY MANAGER ACTIVITIES|Display #0 \(activities)", text):
        # No line says what is resumed; the list goes from top to bottom, so its first record counts.
        for pattern in (r"Hist #\d+: ActivityRecord\{([^}]*)\}", r"realActivity=(\S+)"):
            if found := re.search(pattern, text):
                package, activity = component(found.group(1))
                if package:
                    return FocusReading("app", package, activity)
    return None


def _from_other(text: str) -> FocusReading:
    if found := re.search(r"FocusedWindow: name='(.*?)'", text):
        window = _WINDOW.search(found.group(1))
        title = window["title"].strip() if window else found.group(1)
        app = re.search(r"FocusedApplication: name='(.*?)'", text)
        return _judge(title, (app.group(1) if app else "") if component(title)[0] else "", text)
    if found := re.search(r"FocusedWindows:((?:\s*displayId=\d+, name='.*?'\n?)+)", text):  # Android 10 and later
        named = re.findall(r"displayId=(\d+), name='(?:[0-9a-f]+ )?(.*?)'", found.group(1))
        title = next((title for display, title in named if display == "0"), named[0][1])
        window = _WINDOW.search(title)
        return _judge(window["title"].strip() if window else title, "", text)
    if found := re.search(r"mFocusedWindow=(Window\{.*)", text):  # of the policy
        window = _WINDOW.search(found.group(1))
        reading = _judge(window["title"].strip() if window else "", "", text)
        # The policy goes on naming the app's window while the phone is locked; its activity is not in front then.
        return replace(reading, activity="") if _locked(text) else reading
    changes = re.findall(r"Changing focus from .*? to (Window\{[^}]*\}|null)", text)
    if changes:
        window = _WINDOW.search(changes[-1])
        return _judge(window["title"].strip() if window else "", "", text)
    entered = re.findall(r"input_focus: \[Focus entered [0-9a-f]+ (.*?)(?: \(server\))?[,\]]", text)  # in the events' log
    if entered:
        return _judge(entered[-1].strip(), "", text)
    if found := _POPUP_OWNER.search(text):
        return FocusReading("popup", *component(found.group(1)))
    return FocusReading("none", told=False)


# -- keyguard and screen -----------------------------------------------------------------------------------------------------


def _is_keyguard(text: str) -> bool:
    return bool(re.search(r"isStatusBarKeyguard=true|mShowingLockscreen=true|mDreamingLockscreen=true|isKeyguardShowing=true"
                          r"|mKeyguardShowing=true|KeyguardShowing=true|keyguardShowing=true", text))  # fmt: skip


def _locked(text: str) -> bool | None:
    """Whether the keyguard holds input back. The delegate's own word is better than the policy's flags."""
    delegate = re.search(r"mInputRestricted=(true|false)", text) or re.search(r"\binputRestricted=(true|false)", text)
    if delegate:
        return delegate.group(1) == "true"
    if _is_keyguard(text):
        return True
    if re.search(r"isStatusBarKeyguard=false|mShowingLockscreen=false|mDreamingLockscreen=false|isKeyguardShowing=false", text):
        return False
    return None


def _screen_on(text: str) -> bool | None:
    if found := re.search(r"mAwake=(true|false)", text):  # the next field may follow without a blank
        return found.group(1) == "true"
    if found := re.search(r"screenState=SCREEN_STATE_(ON|OFF)|mInteractive=(true|false)", text):
        return found.group(1) == "ON" or found.group(2) == "true"
    return None


def keyboard_shown(text: str) -> bool:
    """Whether the soft keyboard shows, from `dumpsys input_method`."""
    found = re.findall(r"\bm?[iI]nputShown=(true|false)", text)
    return bool(found) and found[0] == "true"


def has_input_connection(text: str) -> bool:
    """Whether a field takes text, from `dumpsys input_method`."""
    served = re.findall(r"mServedInputConnection(?:Wrapper)?=(\S+)", text)
    return any(value != "null" for value in served) or keyboard_shown(text)


def window_rotation(text: str) -> int | None:
    """The rotation in quarter turns, from `dumpsys window`; None where it is not told."""
    found = re.search(r"\bmCurrentRotation=(?:ROTATION_)?(\d+)", text) or re.search(r"\bmRotation=(?:ROTATION_)?(\d+)", text)
    if not found:
        return None
    value = int(found.group(1))
    return value // 90 if value >= 4 else value


def owned_by(reading: FocusReading, windows: str) -> FocusReading:
    """The reading with the owner that `dumpsys window windows` names for a focused window with a title of its own.

    By its title alone a notice or a menu of the system looks like one of the app. Unchanged where the owner is not told.
    """
    for block in re.split(r"(?m)^\s*Window #\d+ ", windows)[1:]:
        window = _WINDOW.match(block)
        owner = re.search(r"\bpackage=([\w.]+)", block)
        if window and owner and window["title"].strip() == reading.focused_window:
            if owner.group(1) == reading.package:
                return reading
            kind = "system" if owner.group(1) == "com.android.systemui" else "dialog"
            return replace(reading, kind=kind, package=owner.group(1), activity="")
    return reading


def secure_windows(text: str) -> list[str]:
    """Titles of visible windows with FLAG_SECURE in `dumpsys window windows`."""
    titles = []
    for block in re.split(r"(?m)^\s*Window #\d+ ", text)[1:]:
        title = _WINDOW.match(block)
        flags = re.search(r"\bfl=(?:#([0-9a-fA-F]+)|((?:[A-Z_]+ ?)+))", block)
        if not title or not flags:
            continue
        secure = bool(int(flags.group(1), 16) & 0x2000) if flags.group(1) else "SECURE" in flags.group(2).split()
        hidden = re.search(r"mViewVisibility=0x[48]|isVisible=false|isOnScreen=false|mHasSurface=false", block)
        if secure and not hidden:
            titles.append(title["title"].strip())
    return titles
