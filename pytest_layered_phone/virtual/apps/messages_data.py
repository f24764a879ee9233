"""Who the virtual phone knows, and what they had written before the first test."""

from __future__ import annotations

from dataclasses import dataclass

from ..types import SmsRow

_DAY_MS = 86_400_000
# 6 May 2024, 10:00 UTC: fixed, so that every fresh phone shows the same list.
_LAST_MS = 1_714_989_600_000


@dataclass(frozen=True)
class Contact:
    """One contact; `thread` is its thread id in the SMS store."""

    thread: int
    name: str
    address: str
    ground: str


CONTACTS: tuple[Contact, ...] = tuple(
    Contact(number, name, address, ground)
    for number, (name, address, ground) in enumerate(
        (
            ("张三", "+8613800000001", "#3b78e7"),
            ("Alice", "+15550100001", "#c2556b"),
            ("李四", "+8613800000002", "#2f9e5b"),
            ("Bob", "+15550100002", "#e08a1e"),
            ("王芳", "+8613800000003", "#7e57c2"),
            ("Carol Jones", "+15550100003", "#1c8f9a"),
            ("妈妈", "+8613800000004", "#d24b4b"),
            ("David Müller", "+4915550100004", "#6b7280"),
            ("快递小哥", "+8613800000005", "#3b78e7"),
            ("Erin", "+15550100005", "#2f9e5b"),
        ),
        start=1,
    )
)

# thread, sent by us, text, read; the last of a thread is the newest.
_SEEDS: tuple[tuple[int, bool, str, bool], ...] = (
    (10, False, "Happy birthday!", True),
    (9, False, "您的包裹已放在门口。", True),
    (8, False, "The train leaves at 7:45.", True),
    (8, True, "Danke, see you there", True),
    (7, False, "周末回家吃饭吗？", True),
    (7, True, "回，周六中午到", True),
    (6, False, "Can you send me the report?", True),
    (6, True, "It is in your inbox", True),
    (5, False, "照片我发你邮箱了", True),
    (4, True, "Did the parcel arrive?", True),
    (4, False, "Yes, this morning", True),
    (4, False, "Thanks for asking!", False),
    (3, False, "今晚打球吗？", True),
    (3, True, "好，八点见", True),
    (2, True, "Shall we meet on Friday?", True),
    (2, False, "Friday works for me", True),
    (2, False, "Lunch at noon?", False),
    (2, False, "I booked a table for two", False),
    (1, False, "项目文档写完了吗？", True),
    (1, True, "写完了，明天给你", True),
    (1, False, "好的，谢谢！", True),
)


def seed_rows() -> list[SmsRow]:
    """The SMS store of a fresh phone; dates rise with the ids, one day per thread."""
    by_thread = {contact.thread: contact for contact in CONTACTS}
    rows = []
    for number, (thread, ours, body, read) in enumerate(_SEEDS, start=1):
        date = _LAST_MS - (thread - 1) * _DAY_MS + number * 60_000
        rows.append(SmsRow(number, thread, by_thread[thread].address, body, 2 if ours else 1, date, int(read)))
    return rows
