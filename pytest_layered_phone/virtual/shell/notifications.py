"""`dumpsys notification`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ..system.people import Posted
from . import windows
from .context import Call
from .packages import user_id


def notification(call: Call, args: list[str]) -> int:
    open_words = "--noredact" in args
    wanted = next((value for name, value in pairwise(args) if name in ("p", "pkg", "--package")), "").lower()
    call.line(f"Current Notification Manager state{f' (filtered to {wanted})' if wanted else ''}:")
    with call.phone.lock:
        shade = [posted for posted in call.phone.people.shade if wanted in posted.package.lower()]
    if shade:
        call.line("  Notification List:")
        for posted in shade:
            for line in _record(posted, open_words):
                call.line(line)
        call.line("  ")
    call.line("  Snoozed notifications:")
    call.line("  mArchive=Archive (0 notifications)")
    call.line("  mUseAttentionLight=false")
    call.line("  mDisableNotificationEffects=false")
    call.line("  mSystemReady=true")
    return 0


def _record(posted: Posted, open_words: bool) -> Iterator[str]:
    uid = user_id(posted.package)
    key = f"0|{posted.package}|{posted.id}|null|{uid}"
    token = windows.token(key)
    yield (
        f"    NotificationRecord(0x{token}: pkg={posted.package} user=UserHandle{{0}} id={posted.id} tag=null importance=4 "
        f"key={key}: Notification(channel=messages shortcut=null contentView=null vibrate=null sound=null defaults=0x0 "
        "flags=0x10 color=0x00000000 category=msg vis=PRIVATE))"
    )
    yield f"      uid={uid} userId=0"
    yield f"      opPkg={posted.package}"
    yield "      flags=AUTO_CANCEL"
    yield "      originalFlags=AUTO_CANCEL"
    yield "      pri=0"
    yield f"      key={key}"
    yield "      seen=false"
    yield "      groupKey=" + key
    yield "      contentIntent=PendingIntent{" + token + "}"
    yield "      number=0"
    yield "      tickerText=null"
    yield "      contentView=null"
    yield f"      when={posted.when_ms}"
    yield "      extras={"
    yield f"        android.title=String {_word(posted.title, open_words)}"
    yield "        android.subText=null"
    yield "        android.showChronometer=Boolean (false)"
    yield f"        android.text=String {_word(posted.text, open_words)}"
    if posted.big_text is not None:
        yield f"        android.bigText=SpannableString {_word(posted.big_text, open_words)}"
    yield "        android.showWhen=Boolean (true)"
    yield "      }"
    yield "      stats=SingleNotificationStats{posttimeElapsedMs=4711, dismissed=false}"


def _word(text: str, open_words: bool) -> str:
    return f"({text})" if open_words else f"[length={len(text)}]"
