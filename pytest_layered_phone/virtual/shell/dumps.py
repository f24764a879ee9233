"""`dumpsys`: the services that are short enough to stand in one place."""

from __future__ import annotations

import time

from ..types import Package
from . import health, notifications, windows
from .activity import short_component
from .context import Call, Handler
from .packages import operands, user_id

_SERVICES = ("activity", "battery", "display", "input", "input_method", "package", "power", "window")


def dumpsys(call: Call) -> int:
    args = list(call.args)
    while args and args[0].startswith("-"):
        option = args.pop(0)
        if option == "-l":
            call.line("Currently running services:")
            for service in _SERVICES:
                call.line(f"  {service}")
            return 0
        if option in ("-t", "-T") and args:
            args.pop(0)
    if not args:
        call.line("Currently running services:")
        args = ["all"]
    service, rest = args[0], args[1:]
    if service == "all":
        for name in _SERVICES:
            call.line("-" * 80)
            call.line(f"DUMP OF SERVICE {name}:")
            _HANDLERS[name](call, [])
        return 0
    if service not in _HANDLERS:
        return call.fail(f"Can't find service: {service}", 0)
    return _HANDLERS[service](call, rest)


def input_method(call: Call, args: list[str]) -> int:
    phone = call.phone
    chosen = phone.settings.get("secure", {}).get("default_input_method") or "null"
    bound = phone.bound_ime()
    shown = phone.keyboard_shown()
    focus = phone.focus()
    enabled = [name for name, state in phone.imes.items() if state.installed and state.enabled]
    call.line("Current Input Method Manager state:")
    call.line("  Input Methods:")
    for number, name in enumerate(enabled):
        call.line(f"  InputMethod #{number}:")
        call.line(f"    mId={name} mSettingsActivityName=null mIsVrOnly=false mSupportsSwitchingToNextInputMethod=true")
    call.line(f"  mCurMethodId={chosen}")
    call.line(f"  mCurFocusedWindow=android.os.BinderProxy@{windows.token(focus.title)}")
    connected, requested = _bool(bound is not None), _bool(shown)
    call.line(f"  mCurId={bound or 'null'} mHaveConnection={connected} mBoundToMethod={connected}")
    call.line(f"  mShowRequested={requested} mShowExplicitlyRequested={requested} mShowForced=false mInputShown={requested}")
    call.line("  mInFullscreenMode=false")
    served = phone.focused_field() is not None
    connection = f"android.view.inputmethod.RemoteInputConnectionImpl@{windows.token(focus.title)}" if served else "null"
    call.line(f"  mServedInputConnection={connection}")
    call.line(f"  mSystemReady=true mInteractive={_bool(windows.awake_now(call))}")
    call.line(f"  mImeWindowVis={3 if shown else 0}")
    return 0


def _bool(value: bool) -> str:
    return "true" if value else "false"


def power(call: Call, args: list[str]) -> int:
    awake = windows.awake_now(call)
    call.line("POWER MANAGER (dumpsys power)")
    call.line("Power Manager State:")
    call.line(f"  mWakefulness={'Awake' if awake else 'Asleep'}")
    call.line(f"  mHoldingDisplaySuspendBlocker={_bool(awake)}")
    call.line(f"Display Power: state={'ON' if awake else 'OFF'}")
    return 0


def package(call: Call, args: list[str]) -> int:
    names = operands(args)
    packages = call.phone.packages()
    chosen = [one for one in packages if not names or one.name == names[0]]
    if not chosen:
        call.line(f"Unable to find package: {names[0]}")
        return 0
    call.line("Activity Resolver Table:")
    call.line("  Non-Data Actions:")
    call.line("      android.intent.action.MAIN:")
    for one in chosen:
        if one.launcher_activity:
            shown = short_component(f"{one.name}/{one.launcher_activity}")
            call.line(f"        {windows.token(one.name)} {shown} filter {windows.token('f')}")
            call.line('          Action: "android.intent.action.MAIN"')
            call.line('          Category: "android.intent.category.LAUNCHER"')
    call.line("")
    call.line("Packages:")
    for one in chosen:
        _package(call, one)
    return 0


def _package(call: Call, one: Package) -> None:
    sdk = call.phone.spec.sdk
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(call.host.started_s - 86400))
    call.line(f"  Package [{one.name}] ({windows.token(one.name)}):")
    call.line(f"    userId={user_id(one.name)}")
    call.line(f"    codePath={one.apk.rpartition('/')[0]}")
    call.line(f"    versionCode={one.version_code} minSdk=26 targetSdk={sdk}")
    call.line(f"    versionName={one.version_name}")
    app = call.phone.apps.get(one.name)
    debug = "DEBUGGABLE " if app is not None and app.debuggable else ""
    call.line(f"    pkgFlags=[ {'SYSTEM ' if one.system else ''}{debug}HAS_CODE ALLOW_CLEAR_USER_DATA ]")
    call.line("    dataDir=/data/user/0/" + one.name)
    call.line(f"    timeStamp={when}")
    call.line(f"    firstInstallTime={when}")
    call.line(f"    lastUpdateTime={when}")
    call.line(f"    signatures=PackageSignatures{{{windows.token('s')} version:2, signatures:[{windows.token('k')}], past:[]}}")
    requested, fixed = call.phone.permissions.requested(one.name), call.phone.permissions.at_install(one.name)
    for title, lines in (("requested", requested), ("install", tuple(f"{name}: granted=true" for name in fixed))):
        if lines:
            call.line(f"    {title} permissions:")
        for text in lines:
            call.line(f"      {text}")
    call.line("    User 0: ceDataInode=4711 installed=true hidden=false suspended=false stopped=false enabled=0")
    runtime = call.phone.permissions.runtime(one.name)
    if runtime:
        call.line("      runtime permissions:")
    for name, given in runtime.items():
        call.line(f"        {name}: granted={_bool(given)}, flags=[ USER_SENSITIVE_WHEN_GRANTED|USER_SENSITIVE_WHEN_DENIED]")


def surface_flinger(call: Call, args: list[str]) -> int:
    if args[:1] == ["--display-id"]:
        for number, panel in enumerate(call.host.panels()):
            call.line(f'Display {panel.id} (HWC display {number}): port={number} pnpId=VRT displayName="virtual"')
    return 0


def quiet(call: Call, args: list[str]) -> int:
    call.line("(nothing to tell)")
    return 0


_HANDLERS = {
    "activity": windows.activity,
    "battery": health.battery,
    "display": windows.display,
    "input": windows.input_,
    "input_method": input_method,
    "package": package,
    "power": power,
    "window": windows.window,
    "SurfaceFlinger": surface_flinger,
    "meminfo": quiet,
    "gfxinfo": quiet,
    "notification": notifications.notification,
    "telephony.registry": quiet,
    "wifi": quiet,
}
COMMANDS: dict[str, Handler] = {"dumpsys": dumpsys}
