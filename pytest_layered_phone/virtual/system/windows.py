"""Puts the windows of one moment together, lays them out and draws them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from PIL import Image

from ..types import WindowFocus
from ..ui.hierarchy import dump
from ..ui.layout import Layout, Metrics
from ..ui.nodes import FILL, Color, Node, Rect
from ..ui.paint import Painter
from ..ui.theme import DARK, LIGHT, Theme
from ..ui.widgets import Kit
from . import bars, dialogs, keyboard, lock

if TYPE_CHECKING:
    from ..phone import VirtualPhone

# What lies under a dialog keeps 55 % of its light.
_DIM = [round(level * 0.55) for level in range(256)]


@dataclass(eq=False)
class Window:
    """One window: `listed` says whether the element list shows it, `modal` whether taps beside its nodes end here.

    `list_root` is what the element list shows in place of the nodes.
    """

    package: str
    root: Node
    listed: bool = True
    modal: bool = False
    dim: bool = False
    bar: bool = False
    list_root: Node | None = None


class Scene:
    """All that the screen shows at one moment, laid out. The picture is drawn when first asked for."""

    def __init__(self, size: tuple[int, int], rotation: int, metrics: Metrics, theme: Theme) -> None:
        self.size = size
        self.rotation = rotation
        self.metrics = metrics
        self.theme = theme
        self.windows: list[Window] = []
        self.focus = WindowFocus("", "", "none", "")

    @cached_property
    def picture(self) -> Image.Image:
        picture = Image.new("RGB", self.size, self.theme.surface if self.windows else "#000000")
        for window in self.windows:
            if window.dim:
                picture = picture.point(_DIM * 3)
            Painter(picture, self.metrics, self.theme).tree(window.root)
        return picture

    @cached_property
    def xml(self) -> str:
        """The element list: the window in front, then the bars."""
        listed = sorted((window for window in self.windows if window.listed), key=lambda window: window.bar)
        return dump(((window.package, window.list_root or window.root) for window in listed), self.rotation)

    def path_at(self, x: float, y: float) -> list[Node]:
        """The nodes under a point, outermost first, of the topmost window that does something there."""
        for window in reversed(self.windows):
            path = _path(window.root, x, y)
            if path is not None:
                return path
            if window.modal:
                return []
        return []

    def list_at(self, x: float, y: float) -> Node | None:
        """The innermost scrolling list under a point."""
        for window in reversed(self.windows):
            lists = [node for node in window.root.walk() if node.scroll and node.visible.contains(x, y)]
            if lists:
                return lists[-1]
            if window.modal:
                return None
        return None

    def field(self, name: str) -> Node | None:
        """The text field of that name in the window in front."""
        for window in self.windows:
            for node in window.root.walk():
                if node.field is not None and node.name == name:
                    return node
        return None

    def reveal(self, node: Node, offsets: dict[str, int]) -> bool:
        """Scrolls the list around a node until the whole node can be seen; says whether it moved."""
        for window in self.windows:
            for area in window.root.walk():
                if not area.scroll or node not in area.walk():
                    continue
                low = max(0, node.rect.bottom - area.rect.bottom)
                high = max(0, area.rect.top - node.rect.top)
                offsets[area.name] = offsets.get(area.name, 0) + (low - high)
                return low != high
        return False

    def fields(self) -> list[Node]:
        return [node for window in self.windows for node in window.root.walk() if node.field is not None]


def _acts(node: Node) -> bool:
    return node.on_tap is not None or node.on_long is not None or node.field is not None or node.slide is not None


def _path(node: Node, x: float, y: float) -> list[Node] | None:
    """The way to the deepest node under the point, if one on it does something."""
    if not node.visible.contains(x, y):
        return None
    for child in reversed(node.children):
        below = _path(child, x, y)
        if below is not None:
            return [node, *below]
    return [node] if _acts(node) else None


def build_scene(phone: VirtualPhone) -> Scene:
    """The scene of this moment."""
    theme = DARK if phone.settings["secure"].get("ui_night_mode") == "2" else LIGHT
    kit = Kit(theme, phone.spec.chinese)
    metrics = Metrics(phone.density, phone.font_scale)
    scene = Scene(phone.size(), phone.rotation(), metrics, theme)
    scene.focus = phone.focus()
    if not phone.awake:
        return scene
    whole = Rect(0, 0, *scene.size)
    stale = phone.faults.get("stale_list") is not None
    for app in phone.apps.values():
        app.freeze(stale)
    if phone.locked:
        root = lock.build(phone, kit)
        Layout(metrics, {}).run(root, whole)
        scene.windows.append(Window(bars.PACKAGE, root))
        _bars(scene, phone, kit, "#ffffff", nav=False)
        return scene
    _app(scene, phone, kit)
    _toast(scene, phone, kit)
    _dot(scene, phone)
    return scene


def dot_place(phone: VirtualPhone) -> int | None:
    """Where the dot of the fault `moving` is, from 0 to 39; None without that fault."""
    return None if phone.faults.get("moving") is None else int(phone.now() * 10) % 40


def _dot(scene: Scene, phone: VirtualPhone) -> None:
    place = dot_place(phone)
    if place is None:
        return
    width, height = scene.size
    side = scene.metrics.px(14)
    left = round((width - side) * place / 39)
    dot = Node(background=scene.theme.primary, radius=7, rect=Rect(left, height // 2, left + side, height // 2 + side))
    dot.clip = Rect(0, 0, width, height)
    scene.windows.append(Window(bars.PACKAGE, dot, listed=False))


def _app(scene: Scene, phone: VirtualPhone, kit: Kit) -> None:
    metrics = scene.metrics
    width, height = scene.size
    nav, status = metrics.px(bars.NAV_DP), metrics.px(bars.STATUS_DP)
    front = phone.front_app
    shown = phone.keyboard_shown()
    tall = metrics.px(keyboard.height_dp(phone)) if shown else 0
    content = front.build(kit)
    ground: Color | None = None if content.gradient else kit.theme.surface
    content.height = FILL
    if content.gradient is None:
        frame = Node(cls="FrameLayout", background=ground, height=FILL, children=[content])
        room = Rect(0, status, width, height - nav - tall)
    else:
        frame = Node(cls="FrameLayout", height=FILL, children=[content])
        room = Rect(0, 0, width, height)
    Layout(metrics, front.screen.offsets).run(content, room)
    frame.rect = frame.clip = Rect(0, 0, width, height)
    window = Window(front.package, frame)
    if phone.faults.get("blind_list") is not None and front.in_launcher:
        window.list_root = Node(cls="android.view.SurfaceView", rect=frame.rect, clip=frame.clip)
    scene.windows.append(window)
    card = front.build_dialog(kit)
    if card is not None:
        scene.windows[-1].listed = False
        _dialog(scene, front.package, card)
    ink = "#ffffff" if content.gradient else kit.theme.text
    system = phone.system_dialog
    if system is None:
        focused = scene.field(front.screen.focus)
        if focused is not None:
            focused.focused = True
    if shown:
        keys = phone.keyboard.build(kit)
        Layout(metrics, {}).run(keys, Rect(0, height - nav - tall, width, height - nav))
        under = Node(background=kit.theme.keyboard, rect=Rect(0, height - nav, width, height), clip=Rect(0, 0, width, height))
        scene.windows += [Window("com.android.inputmethod.latin", keys, listed=False), Window("", under, listed=False)]
        ink = kit.theme.text
    if system is not None:
        for window in scene.windows:
            window.listed = False
        _dialog(scene, system.package, dialogs.build(phone, kit, system))
    _bars(scene, phone, kit, ink)


def _dialog(scene: Scene, package: str, card: Node) -> None:
    width, height = scene.size
    edge = scene.metrics.px(24)
    frame = Node(layout="stack", align="center", justify="center", children=[card], listed=False, height=FILL)
    Layout(scene.metrics, {}).run(frame, Rect(edge, edge, width - edge, height - edge))
    scene.windows.append(Window(package, frame, modal=True, dim=True))


def _bars(scene: Scene, phone: VirtualPhone, kit: Kit, ink: Color, nav: bool = True) -> None:
    width, height = scene.size
    top = bars.status_bar(phone, kit, ink)
    Layout(scene.metrics, {}).run(top, Rect(0, 0, width, scene.metrics.px(bars.STATUS_DP)))
    system = [Window(bars.PACKAGE, top, bar=True)]
    if nav:
        bottom = bars.navigation_bar(phone, kit, ink)
        Layout(scene.metrics, {}).run(bottom, Rect(0, height - scene.metrics.px(bars.NAV_DP), width, height))
        system.append(Window(bars.PACKAGE, bottom, bar=True))
    # A dialog dims the bars too.
    dialog = next((index for index, window in enumerate(scene.windows) if window.dim), None)
    if dialog is None:
        scene.windows += system
    else:
        scene.windows[dialog:dialog] = system


def _toast(scene: Scene, phone: VirtualPhone, kit: Kit) -> None:
    words = phone.toast_text
    if not words:
        return
    width, height = scene.size
    theme = kit.theme
    card = Node(
        text=words,
        size=14.5,
        color=theme.on_toast,
        background=theme.toast,
        radius=24,
        pad=(20, 12, 20, 12),
        width="wrap",
        max_width=320,
        max_lines=3,
        text_align="center",
    )
    frame = Node(layout="stack", align="end", justify="center", children=[card], listed=False, height=FILL)
    Layout(scene.metrics, {}).run(frame, Rect(0, 0, width, height - scene.metrics.px(bars.NAV_DP + 100)))
    scene.windows.append(Window("com.android.systemui", frame, listed=False))
