"""The goals of the end-to-end tests: small suites as a test author would write them. `sabotage()` is where the faults begin."""

from __future__ import annotations

MESSAGES = """
from pytest_layered_phone import absent, count, field, state, text

APP = "com.example.messages"

def fresh(device):
    device.clear_app(APP)
    device.start_app(APP)
"""
SETTINGS = """
from pytest_layered_phone import absent, count, field, state, text

APP = "com.android.settings"

def fresh(device):
    device.put_setting("global", "wifi_on", "1")
    device.stop_app(APP)
    device.start_app(APP)
"""
SHOP = """
from pytest_layered_phone import absent, count, field, state, text

APP = "com.example.shop"

def fresh(device):
    device.clear_app(APP)
    device.start_app(APP)
"""

GOALS: dict[str, str] = {
    "send": MESSAGES
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    sabotage()
    assert agent.run("Send the message “See you at 8” to Bob", expect="the chat with “Bob” shows “See you at 8”")
""",
    "send_zh": MESSAGES
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    sabotage()
    assert agent.run(
        "给张三发送消息“明天下午两点开会”",
        expect="与“张三”的对话显示已发送的“明天下午两点开会”",
        facts=[device.facts.sms("sent").contains("明天下午两点开会")],
    )
""",
    "send_twice": MESSAGES
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    goal, expect = "Send the message “On my way” to Bob", "the chat with “Bob” shows “On my way”"
    assert agent.run(goal, expect=expect)
    device.stop_app(APP)
    device.start_app(APP)
    sabotage()
    assert agent.run(goal, expect=expect)
""",
    "typed_only": MESSAGES
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    sabotage()
    assert agent.run("Open the chat with Bob, then type “Not yet sent” into “Text message”",
                     expect="the chat shows “Not yet sent”")
""",
    "check_before": MESSAGES
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    sabotage()
    assert agent.check("“See you at 8” is shown")
""",
    "send_noexpect": MESSAGES
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    sabotage()
    assert agent.run("Send the message “See you at 8” to Bob")
""",
    "send_noexpect_zh": MESSAGES
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    sabotage()
    assert agent.run("给张三发送消息“明天下午两点开会”")
""",
    "send_vague": MESSAGES
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    sabotage()
    assert agent.run("Send the message “See you at 8” to Bob", expect="Bob has got the message")
""",
    "send_count": MESSAGES
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    sabotage()
    assert agent.run("Send the message “See you at 8” to Bob", expect=count("See you at 8", 1))
""",
    "send_unasked": MESSAGES
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    sabotage()
    agent.run("Send the message “See you at 8” to Bob", expect="the chat with “Bob” shows “See you at 8”")
""",
    "check": MESSAGES
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    agent.do("Tap “Allow”")
    sabotage()
    assert agent.check("“Alice” is shown")
""",
    "check_false": MESSAGES
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    agent.do("Tap “Allow”")
    sabotage()
    assert agent.check("the list shows “Zacharias”")
""",
    "check_absent": MESSAGES
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    agent.do("Tap “Allow”")
    sabotage()
    assert agent.check(absent("Alice", anchor="Messages"))
""",
    "ask_bool": MESSAGES
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    agent.do("Tap “Allow”")
    sabotage()
    assert agent.ask("Is “Zacharias” shown?", returns=bool)
""",
    "ask_int": MESSAGES
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    agent.do("Tap “Allow”")
    sabotage()
    assert agent.ask("How many unread messages does “Alice” have?", returns=int) == 7
""",
    "do": MESSAGES
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    sabotage()
    agent.do("Tap “Allow”")
""",
    "wifi": SETTINGS
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    sabotage()
    assert agent.run("Turn off “Wi-Fi”", expect="“Wi-Fi” is switched off")
""",
    "check_after_tap": SETTINGS
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    sabotage()
    assert agent.check("“Wi-Fi” is switched on")
    agent.do("Turn off “Wi-Fi”")
    assert agent.check("“Wi-Fi” is switched on")
""",
    "wifi_noexpect": SETTINGS
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    sabotage()
    assert agent.run("Turn off “Wi-Fi”")
""",
    "wifi_zh": SETTINGS
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    sabotage()
    assert agent.run("关闭“Wi-Fi”", expect="“Wi-Fi”开关已关闭")
""",
    "wifi_fact": SETTINGS
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    sabotage()
    assert agent.run("Turn off “Wi-Fi”", expect=state("Wi-Fi", checked=False),
                     facts=[device.facts.setting("global", "wifi_on").equals("0")])
""",
    "about": SETTINGS
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    sabotage()
    assert agent.run("Scroll down until “About phone”, then tap “About phone”", expect="the page shows “Android version”")
""",
    "cart": SHOP
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    agent.do("Tap “Continue as guest”")
    sabotage()
    assert agent.run("Tap “Running shoes”, tap “Add to cart”, then open the cart",
                     expect=["the cart shows “Running shoes”", "the total is “$79.90”"])
""",
    "total": SHOP
    + """
def test_goal(agent, device, sabotage):
    fresh(device)
    agent.do("Tap “Continue as guest”")
    sabotage()
    agent.do("Tap “Running shoes”, tap “Add to cart”, then open the cart")
    assert agent.ask("What is the total?", returns=float) == 79.90
""",
}
"""Source of a test file by name."""
