"""How apps end that a fault kills: what stands in the log, and the dialog that follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .dialogs import SystemDialog

if TYPE_CHECKING:
    from ..apps.base import AppDied
    from ..phone import VirtualPhone


def bury(phone: VirtualPhone, death: AppDied) -> SystemDialog:
    """Logs a crash or an app that hangs, ends it if it crashed, and returns the dialog to show."""
    app = phone.apps[death.package]
    pid = app.pid or 0
    if death.anr:
        where = f"{app.package}/{app.activity()}"
        phone.logcat.write(
            "E",
            "ActivityManager",
            f"ANR in {app.package} ({where})\nPID: {pid}\n"
            f"Reason: Input dispatching timed out ({where} is not responding. Waited 5001ms for MotionEvent)",
        )
        return SystemDialog("anr", app.package)
    phone.logcat.write(
        "E",
        "AndroidRuntime",
        f"FATAL EXCEPTION: main\nProcess: {app.package}, PID: {pid}\n"
        f"java.lang.IllegalStateException: the fault crash_on asked for it at {death.where}\n"
        f"\tat {app.activity()}.onEvent(Activity.java:57)\n"
        "\tat android.os.Handler.dispatchMessage(Handler.java:106)\n"
        "\tat android.os.Looper.loop(Looper.java:288)",
        pid=pid,
    )
    phone.logcat.write("I", "ActivityManager", f"Process {app.package} (pid {pid}) has died: fg  TOP")
    phone.tasks.end(app)
    return SystemDialog("crash", app.package)
