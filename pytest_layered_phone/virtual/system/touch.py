"""What fingers and keys do: finds the view under a touch, scrolls lists, edits the field that has the focus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ui.nodes import Node

if TYPE_CHECKING:
    from ..phone import VirtualPhone

_LONG_PRESS_MS = 500
_SLOP_DP = 8

HOME, BACK, DPAD_LEFT, DPAD_RIGHT, POWER, TAB, SPACE, ENTER, DELETE = 3, 4, 21, 22, 26, 61, 62, 66, 67
MENU, ESCAPE, FORWARD_DELETE, MOVE_HOME, MOVE_END, NUMPAD_ENTER, RECENTS, SLEEP, WAKEUP = (
    82,
    111,
    112,
    122,
    123,
    160,
    187,
    223,
    224,
)
_SIGN_KEYS = {
    55: ",",
    56: ".",
    68: "`",
    69: "-",
    70: "=",
    71: "[",
    72: "]",
    73: "\\",
    74: ";",
    75: "'",
    76: "/",
    77: "@",
    81: "+",
}


def tap(phone: VirtualPhone, x: float, y: float, long: bool = False) -> str:
    """Touches a point; returns what was hit, for the log of actions."""
    path = phone.scene().path_at(x, y)
    for node in reversed(path):
        if not node.enabled:
            return _name(node) + " (disabled)"
        if long and node.on_long is not None:
            node.on_long()
            return _name(node)
        if node.field is not None:
            phone.focus_field(node.name)
            return _name(node)
        if node.slide is not None:
            _slide(node, x, phone)
            return _name(node)
        if node.on_tap is not None:
            node.on_tap()
            return _name(node)
    return ""


def _name(node: Node) -> str:
    return node.rid or node.listed_text or node.text or node.desc


def _slide(node: Node, x: float, phone: VirtualPhone) -> None:
    assert node.slide is not None
    edge = phone.scene().metrics.px(10)
    room = max(1, node.rect.width - 2 * edge)
    node.slide(max(0.0, min(1.0, (x - node.rect.left - edge) / room)))


def swipe(phone: VirtualPhone, x1: float, y1: float, x2: float, y2: float, duration_ms: float) -> str:
    """Moves a finger; without movement it is a tap or a long press. Lists follow the finger and stop with it: no fling."""
    scene = phone.scene()
    slop = scene.metrics.px(_SLOP_DP)
    if abs(x2 - x1) < slop and abs(y2 - y1) < slop:
        return tap(phone, x1, y1, long=duration_ms >= _LONG_PRESS_MS)
    if phone.locked:
        if y1 - y2 > scene.size[1] * 0.15:
            phone.unlock()
        return "keyguard"
    for node in reversed(scene.path_at(x1, y1)):
        if node.slide is not None:
            _slide(node, x2, phone)
            return _name(node)
    found = scene.list_at(x1, y1)
    if found is None or abs(y2 - y1) < abs(x2 - x1):
        if phone.system_dialog is None and phone.front_app.swiped(x2 - x1, y2 - y1):
            return phone.front_app.screen.name
        return ""
    offsets = phone.front_app.screen.offsets
    room = max(0, found.content_height - found.rect.height + scene.metrics.px(found.pad[1]) + scene.metrics.px(found.pad[3]))
    offset = offsets.get(found.name, room if found.stick_to_end else 0)
    offsets[found.name] = max(0, min(room, round(offset + y1 - y2)))
    phone.changed(hold=False)
    return _name(found)


def insert(phone: VirtualPhone, text: str) -> bool:
    """Puts text at the cursor of the field with the focus; False where none has it."""
    node = phone.focused_field()
    if node is None or node.field is None:
        return False
    text = text if node.multiline else text.replace("\n", " ")
    jumps = phone.faults.get("focus_jumps")
    kept = len(text) if jumps is None else int(jumps.get("after", 0))
    _insert(phone, node, text[:kept])
    if jumps is not None:
        phone.faults.clear("focus_jumps")
        if not _next_field(phone, node):
            phone.front_app.screen.focus = ""
            phone.hide_keyboard()
        elif kept < len(text):
            insert(phone, text[kept:])
    return True


def _insert(phone: VirtualPhone, node: Node, text: str) -> None:
    assert node.field is not None
    rules = phone.faults.get("field_formats") or {}
    text = text.upper() if rules.get("upper") else text
    if "limit" in rules:
        text = text[: max(0, int(rules["limit"]) - len(node.field.text))]
    node.field.insert(text)
    _edited(phone, node)


def select_all(phone: VirtualPhone) -> bool:
    """Selects all that the field with the focus holds; False where none has it."""
    node = phone.focused_field()
    if node is None or node.field is None:
        return False
    node.field.select_all()
    return True


def clear(phone: VirtualPhone) -> bool:
    """Empties the field with the focus; False where none has it."""
    node = phone.focused_field()
    if node is None or node.field is None:
        return False
    node.field.set("")
    _edited(phone, node)
    return True


def _edited(phone: VirtualPhone, node: Node) -> None:
    if node.on_change is not None:
        node.on_change()
    phone.changed(hold=False)


def edit(phone: VirtualPhone, keycode: int) -> None:
    """Keys that go to the field with the focus; the others did their work before."""
    node = phone.focused_field()
    if keycode in (ENTER, NUMPAD_ENTER):
        if node is not None:
            _enter(phone, node)
        return
    if node is None or node.field is None:
        return
    state = node.field
    if keycode == DELETE:
        state.delete()
    elif keycode == FORWARD_DELETE:
        state.delete(before=False)
    elif keycode == MOVE_HOME:
        state.move(0)
    elif keycode == MOVE_END:
        state.move(len(state.text))
    elif keycode == DPAD_LEFT:
        state.step(-1)
    elif keycode == DPAD_RIGHT:
        state.step(1)
    elif keycode == TAB and not node.multiline:
        _next_field(phone, node)
        return
    elif keycode == TAB:
        state.insert("\t")
    else:
        char = _char(keycode)
        if not char:
            return
        state.insert(char)
    _edited(phone, node)


def _char(keycode: int) -> str:
    if 7 <= keycode <= 16:
        return chr(ord("0") + keycode - 7)
    if 29 <= keycode <= 54:
        return chr(ord("a") + keycode - 29)
    return " " if keycode == SPACE else _SIGN_KEYS.get(keycode, "")


def _enter(phone: VirtualPhone, node: Node) -> None:
    if node.submit is not None:
        node.submit()
    elif node.multiline and node.field is not None:
        node.field.insert("\n")
        phone.changed(hold=False)
    elif not _next_field(phone, node):
        phone.hide_keyboard()


def _next_field(phone: VirtualPhone, node: Node) -> bool:
    fields = [other.name for other in phone.scene().fields()]
    place = fields.index(node.name) + 1 if node.name in fields else len(fields)
    if place >= len(fields):
        return False
    phone.focus_field(fields[place])
    return True
