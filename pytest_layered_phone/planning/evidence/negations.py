"""Words around a text that turn it into something else: “sent” in “has not been sent”, “paid” in “Paid: no”. Pure."""

from __future__ import annotations

import re

_FILL = (
    r"(?:been|being|be|yet|longer|ever|actually|really|quite|at|all|fully|properly|successfully|completely|correctly|even"
    r"|any ?more|currently|already|a|an|the|any|to|get|got|new|more|able|always|still)"
)
_NOT = (
    r"(?:not|never|cannot|\w+n't|(?:ca|wo|do|does|did|is|was|are|were|has|have|had|could|would|should)nt"
    r"|without|neither|nor|none|nothing|nobody|hardly|barely|no)"
)
_NOT_BEFORE = re.compile(
    rf"(?:^|[^\w]){_NOT}(?:[\s-]+{_FILL}){{0,3}}[\s-]+$"
    r"|(?:^|[^\w])(?:un|non|failed to|fails to|unable to|refused to|about to|yet to|still to|needs? to)[\s-]+(?:be )?$"
    # “To be paid” is a state, “I want to be happy” is a sentence.
    r"|(?:^|[^\w\s]\s*)to be $"
)
_ZH_NOT_BEFORE = re.compile(
    r"(?:[未没无非勿]|没有|不|无法|尚未|拒绝)(?:能够|能|曾|被|再|成功|完全|正常|及时|有|会|可以?|想|要|需|得|用){0,2}$"
    r"|(?<![期招对接看款优善])待(?:被)?$"
)
_FAILED_AFTER = re.compile(
    r"\s*(?:[-\u2013\u2014:·•|,(=]\s*)?(?:failed\b|unsuccessful\b|失败|未成功|不成功)"
    r"|\s*[:=\u2013\u2014-]\s*(?:no|none|not|not yet|never|false|failure|error|否|无|未|没有|错误)\s?[.!。]?$"
    r"|\s*\?\s*(?:no|not|never|false|failed|否|没有?|不|未|失败)(?![a-z])"
)
_DONE = re.compile(r"(?:成功|完成|通过|送达)$")
_ONLY_THEN = re.compile(r"率|之?后|之?前|时|才|吗|与否")


def altered(before: str, needle: str, after: str, *, number: bool = False) -> bool:
    """Whether what stands around a text negates it or makes another statement of it. All are normalised.

    Args:
        before: everything before the text.
        after: everything behind it.
        number: the text begins with a number; “No 5” does not negate it.
    """
    near = before[-60:]
    if found := _NOT_BEFORE.search(near):
        return not (number and re.search(r"(?:^|[^\w])no[\s-]+$", found[0]))
    if _ZH_NOT_BEFORE.search(near) or _FAILED_AFTER.match(after):
        return True
    return _DONE.search(needle) is not None and _ONLY_THEN.match(after) is not None
