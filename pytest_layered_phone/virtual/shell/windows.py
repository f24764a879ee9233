"""`dumpsys window`, `dumpsys activity` and `dumpsys display`: what is in front, and how the screen is turned."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from .. import panels
from .activity import short_component
from .context import Call
from .packages import user_id


def token(text: str) -> str:
    """A stable identity hash for an object of the system, as its dumps show them."""
    return f"{zlib.crc32(text.encode()):x}"


def window(call: Call, args: list[str]) -> int:
    sections = {"windows": _windows, "w": _windows, "displays": _displays, "d": _displays, "policy": _policy, "p": _policy}
    wanted = [arg for arg in args if not arg.startswith("-")]
    if not wanted or wanted[0] in ("all", "a"):
        for section in (_policy, _displays, _windows):
            section(call)
        return 0
    if wanted[0] not in sections:
        call.line(f"Bad window command, or no windows match: {wanted[0]}")
        call.line("Use -h for help.")
        return 0
    sections[wanted[0]](call)
    return 0


def _window(title: str) -> str:
    return f"Window{{{token(title)} u0 {title}}}"


def _record(call: Call) -> str | None:
    package, activity = call.phone.resumed()
    if not package:
        return None
    shown = short_component(f"{package}/{activity}")
    return f"ActivityRecord{{{token('record ' + package + activity)} u0 {shown} t{user_id(package) % 97 + 2}}}"


def _focus_lines(call: Call) -> Iterator[str]:
    focus = call.phone.focus()
    yield f"  mCurrentFocus={'null' if focus.kind == 'none' or not focus.title else _window(focus.title)}"
    yield f"  mFocusedApp={_record(call) or 'null'}"


def _displays(call: Call) -> int:
    spec = call.phone.spec
    width, height = call.phone.size()
    rotation = call.phone.rotation()
    bar = spec.density * 48 // 160
    upright = (height, width) if rotation % 2 else (width, height)
    call.line("WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)")
    call.line("  Display: mDisplayId=0 (organized)")
    call.line(
        f"    init={upright[0]}x{upright[1]} {spec.density}dpi mMinSizeOfResizeableTaskDp=220 cur={width}x{height}"
        f" app={width}x{height - bar} rng={spec.width}x{spec.width - bar}-{spec.height}x{spec.height - bar}"
    )
    call.line(f"    deferred=false mLayoutNeeded=false mTouchExcludeRegion=SkRegion((0,0,{width},{height}))")
    call.line("")
    call.line("  mLayoutSeq=128")
    for line in _focus_lines(call):
        call.line(line)
    call.line("")
    call.line("  DisplayRotation")
    call.line(f"    mCurrentAppOrientation=SCREEN_ORIENTATION_UNSPECIFIED mRotation={rotation} mDeferredRotationPauseCount=0")
    call.line("")
    call.line("  InsetsSource state:")
    shown = _bool(call.phone.keyboard_shown())
    call.line(f"    InsetsSource id=3 mType=ime mFrame=[0,{height * 6 // 10}][{width},{height}] mVisible={shown}")
    if call.host.faults.get("second_display") is not None:
        _second_display(call)
    return 0


def _second_display(call: Call) -> None:
    """A display that has an app and not the focus: there is but one focused window on all of them."""
    width, height = panels.SECOND_SIZE
    shown = f"{panels.SECOND_PACKAGE}/.SecondActivity"
    call.line("  Display: mDisplayId=1 (organized)")
    call.line(f"    init={width}x{height} 320dpi mMinSizeOfResizeableTaskDp=220 cur={width}x{height} app={width}x{height}")
    call.line("  mCurrentFocus=null")
    call.line(f"  mFocusedApp=ActivityRecord{{{token(shown)} u0 {shown} t99}}")
    call.line("  DisplayRotation")
    call.line("    mCurrentAppOrientation=SCREEN_ORIENTATION_UNSPECIFIED mRotation=0 mDeferredRotationPauseCount=0")


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _windows(call: Call) -> int:
    focus = call.phone.focus()
    package, activity = call.phone.resumed()
    width, height = call.phone.size()
    entries = [("NavigationBar0", "com.android.systemui"), ("StatusBar", "com.android.systemui")]
    if call.phone.keyboard_shown():
        entries.append(("InputMethod", (call.phone.bound_ime() or "com.android.inputmethod.latin/").partition("/")[0]))
    application = f"{package}/{activity}" if package else ""
    if focus.title and focus.title != application and focus.kind != "none":
        entries.append((focus.title, focus.package or "android"))
    if application:
        entries.append((application, package))
    entries.append(("com.android.systemui.wallpapers.ImageWallpaper", "com.android.systemui"))
    call.line("WINDOW MANAGER WINDOWS (dumpsys window windows)")
    for number, (title, owner) in enumerate(entries):
        flags = "SECURE HARDWARE_ACCELERATED" if title == focus.title and call.host.secure() else "HARDWARE_ACCELERATED"
        call.line(f"  Window #{number} {_window(title)}:")
        call.line(f"    mDisplayId=0 rootTaskId={number + 1} mSession=Session{{{token(owner)} 612:u0a{user_id(owner)}}}")
        call.line(f"    mOwnerUid={user_id(owner)} showForAllUsers=false package={owner} appop=NONE")
        call.line(f"    mAttrs={{(0,0)(fillxfill) sim={{adjust=resize}} fl={flags}}}")
        call.line(f"    Frames: parent=[0,0][{width},{height}] display=[0,0][{width},{height}] frame=[0,0][{width},{height}]")
        call.line("    isOnScreen=true")
        call.line("    isVisible=true")
    call.line("")
    spec = call.phone.spec
    call.line(f"  mGlobalConfiguration={{{spec.font_scale} 310mcc260mnc [{spec.locale.replace('-', '_')}]}}")
    call.line("  mHasPermanentDpad=false")
    call.line("  mTopFocusedDisplayId=0")
    call.line("  mInTouchMode=true")
    return 0


def _policy(call: Call) -> int:
    locked = call.phone.focus().kind == "keyguard"
    awake = awake_now(call)
    call.line("WINDOW MANAGER POLICY STATE (dumpsys window policy)")
    call.line("    mSafeMode=false mSystemReady=true mSystemBooted=true")
    call.line(f"    mAwake={_bool(awake)} mScreenOnEarly={_bool(awake)} mScreenOnFully={_bool(awake)}")
    call.line(f"    mKeyguardDrawComplete=true mWindowManagerDrawComplete=true mDreamingLockscreen={_bool(locked)}")
    call.line("    KeyguardServiceDelegate")
    call.line(f"      showing={_bool(locked)}")
    call.line(f"      inputRestricted={_bool(locked)}")
    guard = call.host.faults.get("lock")
    call.line(f"      secure={_bool(guard is not None and bool(guard.get('pin')))}")
    call.line(f"    mIsShowing={_bool(locked)}")
    return 0


def awake_now(call: Call) -> bool:
    """Whether the screen is on, where the phone tells it."""
    told = getattr(call.phone, "awake", True)
    return bool(told() if callable(told) else told)


def activity(call: Call, args: list[str]) -> int:
    section = next((arg for arg in args if not arg.startswith("-")), "activities")
    if section in ("top",):
        return _top(call)
    if section in ("activities", "a", "recents", "r"):
        return _activities(call)
    call.line(f"ACTIVITY MANAGER {section.upper()} (dumpsys activity {section})")
    call.line("  (nothing)")
    return 0


def _activities(call: Call) -> int:
    record = _record(call)
    package, component = call.phone.resumed()
    focus = call.phone.focus()
    call.line("ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)")
    call.line("Display #0 (activities from top to bottom):")
    if record is not None:
        task = user_id(package) % 97 + 2
        affinity = f"A={user_id(package)}:{package}"
        call.line(f"  * Task{{{token('task ' + package)} #{task} type=standard {affinity} U=0 visible=true}}")
        call.line(f"    mLastPausedActivity: {record}")
        call.line(f"    topResumedActivity={record}")
        call.line(f"    * Hist  #0: {record}")
        call.line(f"      packageName={package} processName={package}")
        call.line(f"      mActivityComponent={short_component(f'{package}/{component}')}")
        call.line("      state=RESUMED nowVisible=true")
        call.line("")
        call.line(f"  topResumedActivity={record}")
        call.line(f"  ResumedActivity: {record}")
    call.line("")
    call.line(f"  KeyguardController: mKeyguardShowing={_bool(focus.kind == 'keyguard')}")
    return 0


def _top(call: Call) -> int:
    package, component = call.phone.resumed()
    pid = next((known.pid for known in call.phone.packages() if known.name == package), None)
    if not package:
        return 0
    shown = short_component(f"{package}/{component}")
    call.line(f"TASK {user_id(package)}:{package} id={user_id(package) % 97 + 2} userId=0")
    call.line(f"  ACTIVITY {shown} {token('record ' + package + component)} pid={pid or 0} userId=0")
    call.line("    Local Activity State:")
    call.line("      mResumed=true mStopped=false mFinished=false")
    return 0


def display(call: Call, args: list[str]) -> int:
    width, height = call.phone.size()
    spec, rotation = call.phone.spec, call.phone.rotation()
    state = "ON" if awake_now(call) else "OFF"
    call.line("DISPLAY MANAGER (dumpsys display)")
    call.line("  mSafeMode=false")
    viewports = []
    for panel in call.host.panels():
        if panel.logical is not None:
            wide, high = (width, height) if panel.logical == 0 else panel.size
            viewports.append(
                f"DisplayViewport{{type=INTERNAL, valid=true, isActive=true, displayId={panel.logical},"
                f" uniqueId='local:{panel.id}', physicalPort=0, orientation={0 if panel.logical else rotation},"
                f" logicalFrame=Rect(0, 0 - {wide}, {high}), physicalFrame=Rect(0, 0 - {wide}, {high}),"
                f" deviceWidth={panel.size[0]}, deviceHeight={panel.size[1]}}}"
            )
    call.line(f"  mViewports=[{', '.join(viewports)}]")
    call.line(f"  mGlobalDisplayState={state}")
    call.line(f"Logical Displays: size={len(viewports)}")
    call.line("  Display 0:")
    call.line(
        f'    mBaseDisplayInfo=DisplayInfo{{"Built-in Screen", displayId 0, real {spec.width} x {spec.height},'
        f" density {spec.density}, rotation {rotation}, state {state}}}"
    )
    return 0


def input_(call: Call, args: list[str]) -> int:
    width, height = call.phone.size()
    rotation = call.phone.rotation()
    focus = call.phone.focus()
    call.line("INPUT MANAGER (dumpsys input)")
    call.line("  Input Reader State:")
    call.line(f"      SurfaceOrientation: {rotation}")
    call.line(f"      Viewport INTERNAL: displayId=0, orientation={rotation}, logicalFrame=[0, 0, {width}, {height}]")
    call.line("  Input Dispatcher State:")
    call.line("    FocusedApplications:")
    call.line(f"      displayId=0, name='{_record(call)}', dispatchingTimeout=5000ms")
    call.line("    FocusedWindows:")
    call.line(f"      displayId=0, name='{token(focus.title)} {focus.title}'")
    return 0
