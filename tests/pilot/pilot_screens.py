"""Screens written by hand for the pilot's tests, and requests that show them."""

from __future__ import annotations

import base64
import json
from typing import Any

SETTINGS = """\
[1] TextView "Settings" id="page_title" box=[30,50,970,90]
[2] RecyclerView "" id="rows" box=[0,100,1000,950] scrollable
[3] LinearLayout "" box=[20,110,980,180] clickable
[4] TextView "Wi-Fi" id="title" box=[100,115,600,140]
[5] TextView "Off" id="summary" box=[100,145,600,165]
[6] Switch "" id="toggle" box=[800,120,920,160] checkable
[7] LinearLayout "" box=[20,190,980,260] clickable
[8] TextView "Dark mode" id="title" box=[100,195,600,220]
[9] Switch "" id="toggle" box=[800,200,920,240] checkable checked
[10] LinearLayout "" box=[20,270,980,340] clickable
[11] TextView "Wi-Fi calling" id="title" box=[100,275,600,300]
"""

ABOUT = """\
[1] ImageButton "" desc="Navigate up" box=[0,40,100,90] clickable
[2] TextView "About phone" id="page_title" box=[120,50,970,90]
[3] TextView "Android version" id="title" box=[100,120,600,140]
[4] TextView "14" id="summary" box=[100,142,600,160]
[5] TextView "Model" id="title" box=[100,220,600,240]
[6] TextView "Virtual Phone" id="summary" box=[100,242,600,260]
"""

CONVERSATIONS = """\
[1] TextView "Messages" id="page_title" box=[30,50,870,90]
[2] LinearLayout "" box=[20,100,980,170] clickable
[3] TextView "张三" id="name" box=[200,105,800,130]
[4] TextView "好的，谢谢" id="snippet" box=[200,135,800,160]
[5] LinearLayout "" box=[20,180,980,250] clickable
[6] TextView "Alice" id="name" box=[200,185,800,210]
[7] TextView "Are you there?" id="snippet" box=[200,215,800,240]
[8] TextView "2" desc="2 unread" id="badge" box=[870,210,930,240]
"""

CHAT = """\
[1] ImageButton "" desc="Navigate up" box=[0,40,100,90] clickable
[2] TextView "张三" id="chat_title" box=[150,50,900,90]
[3] RecyclerView "" id="bubbles" box=[0,100,1000,850] scrollable
[4] TextView "项目写完了吗" id="bubble" box=[40,700,500,750]
[5] EditText "" hint="Text message" id="compose" box=[20,870,840,940] clickable editable
[6] ImageButton "" desc="Send" id="send" box=[860,870,980,940] clickable disabled
"""

CHAT_TYPED = (
    CHAT.replace('EditText ""', 'EditText "明天见"')
    .replace("clickable editable", "clickable focused editable")
    .replace("clickable disabled", "clickable")
)
CHAT_SENT = CHAT.replace("[5] EditText", '[7] TextView "明天见" id="bubble" box=[500,780,960,830]\n[5] EditText')

PERMISSION = """\
[1] TextView "Allow Messages to send you notifications?" box=[100,420,900,480]
[2] Button "Allow" id="allow" box=[100,500,900,550] clickable
[3] Button "Don’t allow" id="deny" box=[100,560,900,610] clickable
"""

LOGIN = """\
[1] TextView "Welcome" box=[300,160,700,200]
[2] EditText "" hint="User name" id="user" box=[50,230,950,280] clickable editable
[3] EditText "" hint="Password" id="pass" box=[50,300,950,350] clickable editable password
[4] Button "Sign in" id="go" box=[50,370,950,420] clickable
"""

PRODUCT = """\
[1] TextView "Product" box=[120,50,800,90]
[2] ImageButton "" desc="Cart, 0 items" id="cart" box=[880,40,990,90] clickable
[3] TextView "Blue mug" id="name" box=[50,370,950,400]
[4] TextView "$12.50" id="price" box=[50,420,300,450]
[5] Button "Add to cart" id="add" box=[50,890,950,935] clickable
"""

CART = """\
[1] ImageButton "" desc="Navigate up" box=[0,40,100,90] clickable
[2] TextView "Cart" box=[120,50,800,90]
[3] TextView "Blue mug" id="name" box=[100,120,700,150]
[4] TextView "$12.50" id="price" box=[800,120,950,150]
[5] TextView "Total" id="label" box=[60,800,300,830]
[6] TextView "$25.00" id="sum" box=[780,795,950,835]
[7] Button "Check out" id="pay" box=[50,890,950,935] clickable
"""

LAUNCHER = """\
[1] TextView "Monday, Jan 5" id="date" box=[40,40,500,90]
[2] TextView "Messages" id="icon" box=[40,800,260,900] clickable
[3] TextView "Settings" id="icon" box=[300,800,500,900] clickable
"""


def screen_info(elements: str | None, app: str = "com.android.settings") -> str:
    """The part of an executor's message that shows the screen."""
    info = "** Screen Info **\n\n" + json.dumps({"current_app": app})
    return info if elements is None else f"{info}\n\nElements:\n{elements}"


def executor_request(
    instruction: str, *looks: tuple[str, str] | str, app: str = "com.android.settings", tools: bool = False
) -> dict[str, Any]:
    """A request whose messages show looks and replies in turn: `elements`, then (`reply`, `result`, `elements`)…

    Args:
        looks: the first is an element list; each later one is a pair (reply, message text of the next look).
    """
    first, *later = looks
    assert isinstance(first, str)
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "the action language"},
        {"role": "user", "content": f"{instruction}\n\n{screen_info(first, app)}"},
    ]
    for pair in later:
        assert not isinstance(pair, str)
        messages += [{"role": "assistant", "content": pair[0]}, {"role": "user", "content": pair[1]}]
    request: dict[str, Any] = {"model": "pilot", "messages": messages}
    if tools:
        request["tools"] = tools_named("tap", "type_text", "press", "finish")
    return request


def next_look(elements: str, result: str = "the screen changed", app: str = "com.android.settings") -> str:
    return f"Result of the last action: {result}\n\n{screen_info(elements, app)}"


def tools_named(*names: str) -> list[dict[str, Any]]:
    return [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in names]


def judgement_request(
    goal: str | None, expectations: list[str], elements: str, app: str = "com.example.app", toasts: list[str] | None = None
) -> dict[str, Any]:
    lines = [f"Goal: {json.dumps(goal, ensure_ascii=False)}", "Expectations:"]
    lines += ["- " + json.dumps({"id": f"e{n}", "text": text}, ensure_ascii=False) for n, text in enumerate(expectations, 1)]
    lines.append("Screen: " + json.dumps({"app": app, "activity": ".Main", "keyboard": False}))
    if toasts:
        lines.append(f"Messages that came and went: {json.dumps(toasts, ensure_ascii=False)}")
    return _verifier("judgement", "\n".join(lines) + f"\nElements:\n{elements}")


def answer_request(question: str, kind: str, elements: str, app: str = "com.example.app") -> dict[str, Any]:
    text = f"Question: {json.dumps(question, ensure_ascii=False)}\nAnswer type: {kind}\n"
    return _verifier("answer", text + "Screen: " + json.dumps({"app": app}) + f"\nElements:\n{elements}")


def picture_part(png: bytes) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": "data:image/png;base64," + base64.b64encode(png).decode()}}


def _verifier(name: str, text: str) -> dict[str, Any]:
    return {
        "model": "pilot",
        "messages": [{"role": "system", "content": "You judge screens."}, {"role": "user", "content": text}],
        "response_format": {"type": "json_schema", "json_schema": {"name": name, "schema": {"type": "object"}}},
    }
