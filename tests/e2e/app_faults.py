"""Planted faults of apps and phones: on which goal each must show, how the test must end, and which words tell of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.e2e.chain import Case

GREEN = frozenset({"passed"})
RED = frozenset({"failed"})
ERROR = frozenset({"error"})
ERROR_OR_GREEN = frozenset({"error", "passed"})


@dataclass(frozen=True)
class Planted:
    """Attributes:
    witness: what can show the fault.
    live: how the test may end live; `replay` when its recording is replayed on the phone.
    says: a regular expression that the message of a live test holds; `replay_says` of a replayed one.
    """

    name: str
    goal: str
    faults: dict[str, dict[str, Any]]
    witness: str
    says: str = ""
    replay_says: str = ""
    live: frozenset[str] = RED
    replay: frozenset[str] = field(default=RED)

    @property
    def case(self) -> Case:
        return Case(self.name, self.goal, self.faults)


def _slow(seconds: float) -> dict[str, dict[str, Any]]:
    return {"slow_app": {"seconds": seconds}}


SENT = "“See you at 8”"

FAULTS: tuple[Planted, ...] = (
    Planted("send_lost", "send", {"send_lost": {}}, "the bubble", SENT + ".* is not what the screen shows", SENT),
    Planted("send_lost_again", "send_twice", {"send_lost": {}}, "one more bubble", "“On my way”.*so before", "On my way"),
    Planted("send_lost_zh", "send_zh", {"send_lost": {}}, "the bubble and the store", "“明天下午两点开会”", "明天下午两点开会"),
    Planted("stored_not_shown", "send", {"send_stored_not_shown": {}}, "the bubble", SENT + ".* is not what", SENT),
    Planted(
        "shown_not_stored", "send_zh", {"send_shown_not_stored": {}}, "the fact", "CONTRADICTED.*text messages \\(sent\\)",
        "text messages \\(sent\\)",
    ),
    Planted("stored_twice", "send_count", {"send_twice": {}}, "the count", "COUNT_DIFFERS.*listed 2 times", "See you at 8"),
    Planted("wrong_contact", "send", {"send_wrong_contact": {}}, "the bubble", SENT + ".* is not what", SENT),
    Planted("fails_later", "send", {"send_fails_later": {"seconds": 1}}, "the bubble after a while", SENT, SENT),
    Planted(
        "fails_later_and_stays", "send", {"send_fails_later": {"seconds": 1, "keep": True}}, "“Not sent” under the bubble",
        "Not sent", "Sent|Not sent",
    ),
    Planted("switch_dead", "wifi", {"switch_dead": {}}, "the switch", "“Wi-Fi”.*its control is on", "Wi-Fi"),
    Planted("switch_dead_zh", "wifi_zh", {"switch_dead": {}}, "the switch", "“Wi-Fi”.*its control is on", "Wi-Fi"),
    Planted(
        "switch_drawn_only", "wifi_fact", {"switch_drawn_only": {}}, "the fact", "CONTRADICTED.*wifi_on", "wifi_on",
    ),
    Planted("switch_set_only", "wifi", {"switch_set_only": {}}, "the switch", "“Wi-Fi”.*its control is on", "Wi-Fi"),
    Planted("wrong_total", "cart", {"wrong_total": {"amount": 1}}, "the total", "“\\$79.90”.*“\\$80.90”", "\\$79.90"),
    Planted("total_off_by_a_cent", "cart", {"wrong_total": {"amount": 0.01}}, "the total", "“\\$79.90”.*79.91", "\\$79.90"),
    Planted("asked_total", "total", {"wrong_total": {"amount": -10}}, "the answer", "69.9", "69.9|\\$79.90"),
    Planted(
        "crash_on_send", "send", {"crash_on": {"action": "send"}}, "the log", "com.example.messages crashed", "crashed|stopped",
    ),
    Planted(
        "crash_when_sent", "send", {"crash_on": {"action": "sent"}}, "the log", "com.example.messages crashed", "crashed",
    ),
    Planted(
        "crash_on_cart", "cart", {"crash_on": {"screen": "cart"}}, "the log", "com.example.shop crashed", "crashed|stopped",
    ),
    Planted(
        "anr_on_send", "send", {"anr_on": {"action": "send"}}, "the log", "com.example.messages stopped responding",
        "responding",
    ),
    Planted("stale_list", "cart", {"stale_list": {}}, "the cart", "“Running shoes”|“\\$79.90”", "Running shoes|empty"),
    Planted(
        "dialog_in_front", "about", {"dialog_in_front": {"title": "System update", "text": "Restart now?", "button": "Later"}},
        "the page behind", "System update", "System update",
    ),
    Planted("typed_only", "typed_only", {}, "the field", "only in an input field|ONLY_IN_FIELD", ""),
    Planted("blind_list", "send", {"blind_list": {}}, "nothing that can be read", "no text|BLIND|cannot|not read", ""),
    Planted("secure", "send", {"secure": {}}, "nothing", "SECURE", "SECURE", live=ERROR, replay=ERROR),
    Planted(
        "not_idle", "send", {"uiautomator_not_idle": {}}, "nothing", "HIERARCHY_NOT_IDLE", "HIERARCHY_NOT_IDLE",
        live=ERROR, replay=ERROR,
    ),
    Planted("no_picture", "send", {"screencap_fails": {"text": "no"}}, "nothing", "SCREENSHOT", "SCREENSHOT", ERROR, ERROR),
    Planted("offline", "send", {"offline": {}}, "nothing", "DEVICE", "DEVICE", live=ERROR, replay=ERROR),
    Planted(
        "disconnect_at_tap", "send", {"disconnect": {"command": "input tap"}}, "nothing", "DEVICE", "DEVICE",
        live=ERROR_OR_GREEN, replay=ERROR_OR_GREEN,
    ),
    Planted(
        "disconnect_at_look", "wifi", {"disconnect": {"command": "uiautomator"}}, "nothing", "DEVICE", "DEVICE",
        live=ERROR_OR_GREEN, replay=ERROR_OR_GREEN,
    ),
    Planted("slow_app", "send", _slow(1), "none needed", live=GREEN, replay=GREEN),
    Planted("slower_app", "wifi", _slow(2), "none needed", live=GREEN, replay=GREEN),
    Planted("slow_phone", "cart", {"slow": {"seconds": 0.2}}, "none needed", live=GREEN, replay=GREEN),
)  # fmt: skip

RARE = frozenset(
    {
        "send_lost_zh", "switch_dead_zh", "total_off_by_a_cent", "slow_phone", "no_picture", "crash_on_cart",
        "crash_when_sent", "not_idle",
    }
)  # fmt: skip
"""Only in the benchmark: near twins of others."""

CLEAN_GOALS = ("send", "send_count", "send_zh", "send_twice", "wifi", "wifi_zh", "wifi_fact", "about", "cart", "total")
"""Goals that pass on the clean app."""
