"""`am` and `monkey`: activities, broadcasts, processes."""

from __future__ import annotations

import base64
import binascii
import time
from dataclasses import dataclass, field

from ..system.dialogs import CHOOSER
from .context import Call, Handler, java_exception

_FRAMES = ("com.android.server.am.ActivityManagerShellCommand.onCommand",)
_VIEWERS = {
    "android.settings.SETTINGS": "com.android.settings",
    "android.settings.WIFI_SETTINGS": "com.android.settings",
    "android.settings.DISPLAY_SETTINGS": "com.android.settings",
}
_LAUNCHER = "android.intent.category.LAUNCHER"
_HOME = "android.intent.category.HOME"
_EXTRA_ONE = {"--esn", "--grant-read-uri-permission"}
_EXTRA_TWO = {"--es", "-e", "--ez", "--ei", "--el", "--ef", "--eu", "--ecn", "--eia", "--ela", "--efa", "--esa"}
_WITH_VALUE = {"--user", "--display", "-R", "--activity-options", "--windowingMode", "--receiver-permission", "-P"}


@dataclass
class Intent:
    """The intent of a command line, and the options of `am` that stood beside it."""

    action: str | None = None
    data: str | None = None
    mime: str | None = None
    component: str | None = None
    package: str | None = None
    flags: str | None = None
    categories: list[str] = field(default_factory=list)
    extras: dict[str, str] = field(default_factory=dict)
    options: set[str] = field(default_factory=set)

    def show(self, *, flags: str | None = None) -> str:
        parts = [f"act={self.action}"] if self.action else []
        parts += [f"cat=[{','.join(self.categories)}]"] if self.categories else []
        if self.data:
            scheme, colon, rest = self.data.partition(":")
            authority = "//" + rest[2:].split("/")[0] + "/..." if rest.startswith("//") else "..."
            parts.append(f"dat={scheme}{colon}{authority if colon else ''}")
        parts += [f"typ={self.mime}"] if self.mime else []
        parts += [f"flg={flags or self.flags}"] if flags or self.flags else []
        parts += [f"pkg={self.package}"] if self.package else []
        parts += [f"cmp={short_component(self.component)}"] if self.component else []
        parts += ["(has extras)"] if self.extras else []
        return "Intent { " + " ".join(parts) + " }"


class BadIntent(Exception):
    """The arguments are no intent; the message is the line of the exception that Android throws."""


def split_component(text: str) -> tuple[str, str]:
    """Package and full class name of `package/class`.

    Raises:
        BadIntent: where it is none.
    """
    package, slash, activity = text.partition("/")
    if not slash or not package or not activity:
        raise BadIntent(f"java.lang.IllegalArgumentException: Bad component name: {text}")
    return package, package + activity if activity.startswith(".") else activity


def short_component(text: str) -> str:
    """`package/.Class` where the class lies in the package, else as it is."""
    package, _, activity = text.partition("/")
    return f"{package}/{activity.removeprefix(package)}" if activity.startswith(package + ".") else text


def parse_intent(args: list[str]) -> Intent:
    """Reads the arguments of `am start` and `am broadcast`.

    Raises:
        BadIntent: for an option without its value, an unknown option or a bad component.
    """
    intent = Intent()
    rest = list(args)

    def value(option: str) -> str:
        if not rest:
            raise BadIntent(f'java.lang.IllegalArgumentException: Argument expected after "{option}"')
        return rest.pop(0)

    while rest:
        arg = rest.pop(0)
        if arg == "-a":
            intent.action = value(arg)
        elif arg == "-d":
            intent.data = value(arg)
        elif arg == "-t":
            intent.mime = value(arg)
        elif arg == "-c":
            intent.categories.append(value(arg))
        elif arg == "-n":
            intent.component = value(arg)
            split_component(intent.component)
        elif arg == "-p":
            intent.package = value(arg)
        elif arg == "-f":
            intent.flags = value(arg)
        elif arg in _EXTRA_TWO:
            key = value(arg)
            intent.extras[key] = value(arg)
        elif arg in _EXTRA_ONE:
            intent.extras[value(arg)] = ""
        elif arg in _WITH_VALUE:
            value(arg)
        elif arg.startswith("-"):
            intent.options.add(arg)
        elif "/" in arg and ":" not in arg:
            intent.component = arg
            split_component(arg)
        elif ":" in arg:
            intent.data = arg
            intent.action = intent.action or "android.intent.action.VIEW"
        else:
            intent.package = arg
    return intent


def am(call: Call) -> int:
    if not call.args:
        call.err("Activity manager (activity) commands:")
        return 255
    command, args = call.args[0], call.args[1:]
    handlers = {
        "start": _start,
        "start-activity": _start,
        "broadcast": _broadcast,
        "force-stop": _force_stop,
        "kill": _force_stop,
        "get-current-user": _current_user,
        "startservice": _service,
        "start-service": _service,
        "start-foreground-service": _service,
    }
    if command not in handlers:
        call.err(f"Unknown command: {command}")
        return 255
    try:
        return handlers[command](call, args)
    except BadIntent as error:
        return java_exception(call, command, str(error), _FRAMES)


def _resolve(call: Call, intent: Intent) -> tuple[str, str | None] | None:
    """Package and class that an intent means; the class is None for whatever the package opens with."""
    if intent.component:
        return split_component(intent.component)
    if _HOME in intent.categories:
        return ("", None)
    if intent.data and intent.action == "android.intent.action.VIEW":
        openers = call.phone.tasks.link_openers(intent.data, intent.package)
        return (openers[0], None) if len(openers) == 1 else (CHOOSER, None) if openers else None
    package = intent.package or _VIEWERS.get(intent.action or "")
    for known in call.phone.packages():
        if known.name == package and known.launcher_activity:
            return known.name, known.launcher_activity if intent.package else None
    return None


def _start(call: Call, args: list[str]) -> int:
    intent = parse_intent(args)
    if intent.action is None and _LAUNCHER in intent.categories:
        intent.action = "android.intent.action.MAIN"
    call.line(f"Starting: {intent.show()}")
    resolved = _resolve(call, intent)
    if resolved is None:
        call.err(f"Error: Activity not started, unable to resolve {intent.show(flags='0x10000000')}")
        return 0  # Android tells this kind of failure by its words alone.
    package, activity = resolved
    running = {known.name for known in call.phone.packages() if known.pid is not None}
    if "-S" in intent.options:
        call.line(f"Stopping: {package}")
        call.phone.force_stop(package)
    in_front = call.phone.resumed()[0] == package and "-S" not in intent.options
    started = time.monotonic()
    try:
        with call.host.actions.note("start", package=package, activity=activity, data=intent.data):
            if package == CHOOSER:
                call.phone.tasks.choose()
            elif package:
                call.phone.start_activity(package, activity, intent.data)
            else:
                call.phone.key(3)
    except KeyError:
        call.err("Error type 3")
        call.err(f"Error: Activity class {{{package}/{activity}}} does not exist.")
        return 0
    if in_front:
        call.err("Warning: Activity not started, its current task has been brought to the front")
    if "-W" in intent.options:
        taken = int((time.monotonic() - started) * 1000)
        state = "HOT" if in_front else "WARM" if package in running else "COLD"
        shown_package, shown_activity = call.phone.resumed()
        call.line("Status: ok")
        call.line(f"LaunchState: {'UNKNOWN (0)' if in_front else state}")
        call.line(f"Activity: {short_component(f'{shown_package}/{shown_activity}')}")
        if not in_front:
            call.line(f"TotalTime: {taken + 20}")
        call.line(f"WaitTime: {taken + 23}")
        call.line("Complete")
    return 0


def _force_stop(call: Call, args: list[str]) -> int:
    packages = [arg for index, arg in enumerate(args) if not arg.startswith("-") and args[index - 1] != "--user"]
    if not packages:
        return java_exception(
            call, "force-stop", 'java.lang.IllegalArgumentException: Argument expected after "force-stop"', _FRAMES
        )
    known = {package.name for package in call.phone.packages()}
    with call.host.actions.note("stop", package=packages[0]):
        if packages[0] in known:
            call.phone.force_stop(packages[0])
    return 0


def _current_user(call: Call, args: list[str]) -> int:
    call.line("0")
    return 0


def _service(call: Call, args: list[str]) -> int:
    intent = parse_intent(args)
    call.line(f"Starting service: {intent.show()}")
    call.err("Error: Not found; no service started.")
    return 255


def _broadcast(call: Call, args: list[str]) -> int:
    intent = parse_intent(args)
    call.line(f"Broadcasting: {intent.show(flags='0x400000')}")
    with call.host.actions.note("broadcast", action=intent.action, extras=dict(intent.extras)) as details:
        # Nobody listens unless the keyboard is bound; the answer is the same in both cases.
        details["taken"] = _deliver(call, intent)
    call.line("Broadcast completed: result=0")
    return 0


def _deliver(call: Call, intent: Intent) -> bool:
    phone, extras = call.phone, intent.extras
    if intent.action == "ADB_INPUT_TEXT" and "msg" in extras:
        return phone.broadcast_text(extras["msg"])
    if intent.action == "ADB_INPUT_B64" and "msg" in extras:
        try:
            text = base64.b64decode(extras["msg"]).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            return False
        return phone.broadcast_text(text)
    if intent.action == "ADB_INPUT_CHARS" and "chars" in extras:
        codes = extras["chars"].split(",")
        return all(code.strip().isdigit() for code in codes) and phone.broadcast_text("".join(chr(int(c)) for c in codes))
    bound = (phone.bound_ime() or "").startswith("com.android.adbkeyboard/")
    if not bound:
        return False
    if intent.action == "ADB_CLEAR_TEXT":
        return phone.clear_text()
    if intent.action in ("ADB_INPUT_CODE", "ADB_EDITOR_CODE") and extras.get("code", "").lstrip("-").isdigit():
        # The action of an editor (2 go, 3 search, 4 send, 6 done) is what its enter key does here.
        phone.key(66 if intent.action == "ADB_EDITOR_CODE" else int(extras["code"]))
        return True
    return False


def monkey(call: Call) -> int:
    args = call.args
    for arg in args:
        call.line(f"  bash arg: {arg}")
    call.err(f"args: [{', '.join(args)}]")
    for arg in args:
        call.err(f' arg: "{arg}"')
    packages = [args[index + 1] for index, arg in enumerate(args[:-1]) if arg == "-p"]
    for package in packages:
        call.err(f'data="{package}"')
    count = int(args[-1]) if args and args[-1].isdigit() else 0
    found = [known for known in call.phone.packages() if known.name in packages and known.launcher_activity]
    if not found:
        call.err("** No activities found to run, monkey aborted.")
        return 252
    with call.host.actions.note("start", package=found[0].name, activity=found[0].launcher_activity, data=None):
        call.phone.start_activity(found[0].name, None)
    call.line(f"Events injected: {count}")
    call.line("## Network stats: elapsed time=21ms (0ms mobile, 0ms wifi, 21ms not connected)")
    return 0


COMMANDS: dict[str, Handler] = {"am": am, "monkey": monkey}
