"""The executor's replies, step by step, on screens written by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_layered_phone.pilot.request import parse_request
from pytest_layered_phone.pilot.roles import answer_request
from pytest_layered_phone.pilot.wire import Reply

from .pilot_screens import (
    ABOUT,
    CHAT,
    CHAT_SENT,
    CHAT_TYPED,
    CONVERSATIONS,
    LAUNCHER,
    LOGIN,
    PERMISSION,
    PRODUCT,
    SETTINGS,
    executor_request,
    next_look,
)

MESSAGES = "com.example.messages"


def ask(request: dict[str, Any]) -> Reply:
    return answer_request(parse_request(json.dumps(request).encode()))


def action(request: dict[str, Any]) -> str:
    content = ask(request).content
    return content.split("<answer>")[1].removesuffix("</answer>")


class Story:
    """Plays an instruction through: each `then` shows the next screen and gives the reply to it."""

    def __init__(self, instruction: str, elements: str, app: str = "com.android.settings") -> None:
        self.instruction = instruction
        self.looks: list[Any] = [elements]
        self.app = app
        self.reply = self._ask()

    def then(self, elements: str, result: str = "the screen changed", app: str = "") -> str:
        self.looks.append((self.reply, next_look(elements, result, app or self.app)))
        self.reply = self._ask()
        return self.action

    def after_pauses(self, elements: str) -> str:
        """The action after two pauses in which nothing came."""
        for seconds in (1, 2):
            assert self.action == f'do(action="Wait", duration="{seconds} seconds")'
            self.then(elements, "")
        return self.action

    def _ask(self) -> str:
        return ask(executor_request(self.instruction, *self.looks, app=self.app)).content

    @property
    def action(self) -> str:
        return self.reply.split("<answer>")[1].removesuffix("</answer>")


def test_a_tap_goes_to_the_middle_of_the_label_and_ends_with_a_word() -> None:
    story = Story("tap “Dark mode”", SETTINGS)
    assert story.action == 'do(action="Tap", element=[350,207])'
    assert story.then(ABOUT).startswith('finish(message="carried out')


def test_a_tap_that_changes_nothing_is_not_claimed() -> None:
    story = Story("tap “Dark mode”", SETTINGS)
    story.then(SETTINGS, "no visible change")
    assert story.after_pauses(SETTINGS) == 'finish(message="blocked: tapping “Dark mode” changed nothing")'


def test_a_slow_app_gets_two_pauses() -> None:
    story = Story("tap “Dark mode”", SETTINGS)
    assert 'action="Wait"' in story.then(SETTINGS, "no visible change")
    assert 'action="Wait"' in story.then(SETTINGS, "")
    assert story.then(ABOUT, "").startswith('finish(message="carried out')


def test_a_switch_is_tapped_and_looked_at_again() -> None:
    story = Story("turn on “Wi-Fi”", SETTINGS)
    assert story.action == 'do(action="Tap", element=[860,140])'
    on = SETTINGS.replace("box=[800,120,920,160] checkable", "box=[800,120,920,160] checkable checked")
    assert "“Wi-Fi” is on" in story.then(on)


def test_a_switch_that_stays_off_is_not_claimed() -> None:
    story = Story("turn on “Wi-Fi”", SETTINGS)
    story.then(SETTINGS, "no visible change")
    assert story.after_pauses(SETTINGS).startswith('finish(message="blocked: “Wi-Fi” was tapped but is not on')


def test_a_switch_in_the_wanted_state_is_left_alone() -> None:
    assert "already" in Story("turn on Dark mode", SETTINGS).action


def test_chinese_open_means_the_switch_where_there_is_one() -> None:
    assert Story("打开“Wi-Fi”", SETTINGS).action == 'do(action="Tap", element=[860,140])'


def test_two_clauses_are_kept_apart_by_what_earlier_replies_say() -> None:
    story = Story("turn off “Dark mode”, then turn on “Wi-Fi”", SETTINGS)
    assert "[860,220]" in story.action
    off = SETTINGS.replace("checkable checked", "checkable")
    assert "[860,140]" in story.then(off)
    assert "clause 2 of 2" in story.reply


def test_it_scrolls_until_the_list_ends_and_then_says_not_found() -> None:
    story = Story("tap “Nowhere”", SETTINGS)
    assert story.action.startswith('do(action="Swipe", start=[500,')
    assert 'action="Swipe"' in story.then(SETTINGS.replace("Wi-Fi calling", "Hotspot"))
    assert story.then(SETTINGS.replace("Wi-Fi calling", "Hotspot"), "no visible change").startswith(
        'finish(message="not found: '
    )


def test_it_does_not_scroll_where_nothing_scrolls() -> None:
    assert Story("tap “Nowhere”", ABOUT).action.startswith('finish(message="not found: ')


def test_a_list_that_stood_at_its_end_is_searched_the_other_way_also_without_a_word_about_it() -> None:
    story = Story("tap “Nowhere”", SETTINGS)
    assert story.then(SETTINGS, "") == 'do(action="Swipe", start=[500,287], end=[500,763])'
    higher = SETTINGS.replace("Wi-Fi calling", "Hotspot")
    assert story.then(higher) == 'do(action="Swipe", start=[500,287], end=[500,763])'
    assert story.then(higher, "no visible change").startswith('finish(message="not found: ')


def test_an_app_is_started_and_a_failure_is_told() -> None:
    story = Story("open Messages", LAUNCHER, app="com.example.launcher")
    assert story.action == 'do(action="Launch", app="Messages")'
    assert "was started" in story.then(CONVERSATIONS, app=MESSAGES)
    lost = Story("launch “Nonesuch”", LAUNCHER, app="com.example.launcher")
    assert lost.then(LAUNCHER, "failed: no app has this name").startswith('finish(message="not found: ')


def test_a_message_is_typed_and_sent() -> None:
    story = Story("给张三发送消息“明天见”", CONVERSATIONS, app=MESSAGES)
    assert story.action == 'do(action="Tap", element=[500,117])'
    assert story.then(CHAT) == 'do(action="Tap", element=[430,905])'
    focused = CHAT.replace("clickable editable", "clickable focused editable")
    assert story.then(focused) == 'do(action="Type", text="明天见")'
    assert story.then(CHAT_TYPED) == 'do(action="Tap", element=[920,905])'
    assert "the message shows" in story.then(CHAT_SENT)


def test_a_message_that_does_not_show_is_not_said_to_show() -> None:
    story = Story("send “明天见”", CHAT_TYPED, app=MESSAGES)
    assert story.action == 'do(action="Tap", element=[920,905])'
    assert "does not show" in story.then(CHAT)


def test_the_wrong_conversation_is_left() -> None:
    story = Story("send the message “hi” to Alice", CHAT, app=MESSAGES)
    assert story.action == 'do(action="Back")'


def test_a_permission_dialog_is_answered_first_and_said_so() -> None:
    story = Story("tap “张三”", PERMISSION, app=MESSAGES)
    assert story.action == 'do(action="Tap", element=[500,525])'
    assert "permission dialog" in story.reply
    assert story.then(CONVERSATIONS) == 'do(action="Tap", element=[500,117])'


def test_a_permission_dialog_that_is_meant_is_left_to_the_instruction() -> None:
    assert Story("tap “Don't allow”", PERMISSION, app=MESSAGES).action == 'do(action="Tap", element=[500,585])'


def test_a_crash_is_not_worked_around() -> None:
    crashed = (
        '[1] TextView "Messages keeps stopping" box=[100,400,900,450]\n[2] Button "Close app" box=[100,500,900,550] clickable'
    )
    assert Story("tap “张三”", crashed).action.startswith('finish(message="blocked: ')


def test_text_that_no_field_shows_is_not_claimed() -> None:
    story = Story("type “amy” into “User name”", LOGIN)
    focused = LOGIN.replace("[50,230,950,280] clickable editable", "[50,230,950,280] clickable focused editable")
    assert story.action == 'do(action="Tap", element=[500,255])'
    assert story.then(focused) == 'do(action="Type", text="amy")'
    story.then(focused, "no visible change")
    assert story.after_pauses(focused).startswith('finish(message="blocked: ')


def test_a_login_never_shows_the_password_in_what_it_thinks_of_the_field() -> None:
    story = Story("type “pw” into “Password”", LOGIN)
    focused = LOGIN.replace("editable password", "focused editable password")
    assert story.then(focused) == 'do(action="Type", text="pw")'
    assert "•••” stands" in story.then(focused.replace('EditText "" hint="Password"', 'EditText "•••" hint="Password"'))


def test_the_cart_is_not_the_button_that_fills_it() -> None:
    assert Story("open the cart", PRODUCT).action == 'do(action="Tap", element=[935,65])'
    assert Story("add “Blue mug” to the cart", PRODUCT).action == 'do(action="Tap", element=[500,912])'


@pytest.mark.parametrize(
    ("instruction", "start"),
    [
        ("frobnicate the widget", "blocked: I do not understand"),
        ("is “Bluetooth” shown?", "not found: "),
        ("press enter", "blocked: "),
        ("", "blocked: "),
    ],
)
def test_what_it_cannot_do_it_says(instruction: str, start: str) -> None:
    assert Story(instruction, SETTINGS).action.startswith(f'finish(message="{start}')


def test_questions_are_answered_in_the_last_message() -> None:
    assert action(
        executor_request("what is the Android version?", ABOUT)
    ) == 'finish(message="What is the Android version: 14")'.replace("What", "what")
    assert action(executor_request("is “About phone” shown?", ABOUT)).startswith('finish(message="the screen shows')


def test_enter_is_known_where_the_system_message_names_it() -> None:
    request = executor_request("press enter", SETTINGS)
    request["messages"][0]["content"] = 'do(action="Enter")'
    assert action(request) == 'do(action="Enter")'


def test_back_is_pressed_again_where_only_the_keyboard_went_away() -> None:
    story = Story("go back", CHAT)
    assert story.action == 'do(action="Back")'
    assert story.then(CHAT) == 'do(action="Back")'
    assert story.then(CONVERSATIONS).startswith('finish(message="carried out')


def test_a_repair_request_is_answered_from_the_same_screen() -> None:
    request = executor_request("tap “Dark mode”", SETTINGS)
    first = ask(request).content
    request["messages"] += [{"role": "assistant", "content": first}, {"role": "user", "content": "That could not be read."}]
    assert action(request) == first.split("<answer>")[1].removesuffix("</answer>")


def test_nothing_to_see_is_no_reason_to_act() -> None:
    request = {"model": "pilot", "messages": [{"role": "user", "content": "tap “A”\n\n** Screen Info **\n\n{}"}]}
    assert action(request).startswith('finish(message="blocked: ')


def test_native_tools_speak_of_the_same_things() -> None:
    reply = ask(executor_request("turn on “Wi-Fi”", SETTINGS, tools=True))
    assert (reply.tool, reply.arguments) == ("tap", {"x": 860, "y": 140})
    reply = ask(executor_request("tap “Nowhere”", ABOUT, tools=True))
    assert reply.tool == "finish"
    assert reply.arguments is not None
    assert reply.arguments["success"] is False
    assert reply.arguments["message"].startswith("not found: ")
    reply = ask(executor_request("press enter", SETTINGS, tools=True))
    assert (reply.tool, reply.arguments) == ("press", {"key": "enter"})


def test_a_page_above_is_named_where_nothing_was_found() -> None:
    assert "there is a page above this one" in Story("tap “Nowhere”", ABOUT).action
    assert "page above" not in Story("turn on “Nowhere”", LOGIN).action
