"""Phones with a second display, and foldables: which panel is looked at, which display is touched."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_layered_phone.devices.readers.display_ids import Panel, read_panels, section_of, size_in
from pytest_layered_phone.devices.readers.hierarchy import read_hierarchy
from pytest_layered_phone.devices.readers.hierarchy_windows import hierarchy_of_display
from pytest_layered_phone.errors import DeviceError, HierarchyError
from pytest_layered_phone.virtual.panels import COVER_SIZE, INNER, OUTER, SECOND_PACKAGE, SECOND_SIZE, SECOND_TEXT
from tests.devices.conftest import Bed

VIEWPORTS = (
    "  mViewports=[DisplayViewport{type=INTERNAL, valid=true, isActive=true, displayId=0, uniqueId='local:4630946165954792596',"
    " physicalPort=84, orientation=0, logicalFrame=Rect(0, 0 - 1140, 2616)}, DisplayViewport{type=VIRTUAL, valid=true,"
    " isActive=true, displayId=5, uniqueId='virtual:com.example,10234,cast,0', physicalPort=null}, DisplayViewport{"
    "type=INTERNAL, valid=true, isActive=false, displayId=3, uniqueId='local:4630946317637160339', physicalPort=83}]"
)


def test_the_viewports_tell_which_panel_shows_a_display_now() -> None:
    assert read_panels(VIEWPORTS) == {0: Panel(0, "4630946165954792596", "local"), 5: Panel(5, "", "virtual")}


def test_older_android_tells_panels_among_the_infos_only() -> None:
    text = 'mBaseDisplayInfo=DisplayInfo{"Built-in Screen, displayId 0", uniqueId "local:0", app 1080 x 2160, density 420}'
    info = '  mOverrideDisplayInfo=DisplayInfo{"HDMI", displayId 1, uniqueId "local:1", app 1920 x 1080}'
    assert read_panels(f"{text}\n{info}") == {1: Panel(1, "1", "local")}
    with pytest.raises(DeviceError):
        read_panels("Can't find service: display")


def test_a_section_of_the_windows_is_one_display_and_no_other() -> None:
    text = "Display: mDisplayId=0\n  cur=1080x2400\n  mCurrentFocus=a\n  Display: mDisplayId=1\n  cur=720x720\n"
    assert size_in(section_of(text, 0) or "") == (1080, 2400)
    assert size_in(section_of(text, 1) or "") == (720, 720)
    assert section_of(text, 2) is None
    assert section_of("mCurrentFocus=Window{1 u0 x}", 0) == "mCurrentFocus=Window{1 u0 x}"


def test_a_list_of_another_display_is_never_that_of_the_main_one() -> None:
    node = '<node text="{}" class="a" package="p" bounds="[0,0][9,9]" />'
    window = '<window index="0" active="{}"><hierarchy rotation="1">{}</hierarchy></window>'
    both = (
        f'<displays><display id="0">{window.format("true", node.format("main"))}</display><display id="2">'
        f"{window.format('false', node.format('top'))}{window.format('false', node.format('under'))}</display></displays>"
    )
    tree = read_hierarchy(hierarchy_of_display(both, 2))
    assert [element.text for element in tree.elements] == ["under", "top"]  # what is drawn last stands last
    assert tree.rotation == 1
    for text, display in ((both, 1), (f"<hierarchy>{node}</hierarchy>", 1)):
        with pytest.raises(HierarchyError) as caught:
            hierarchy_of_display(text, display)
        assert caught.value.code == "HIERARCHY_NO_DISPLAY"
        assert not caught.value.retryable


def test_with_two_panels_the_one_of_the_main_display_is_named(bed: Bed) -> None:
    bed.fault("second_display")
    shot = bed.device.screenshot()
    assert (shot.width, shot.height) == (1080, 2400)
    assert bed.device.observe().size == (1080, 2400)
    for name in (1, "1", OUTER):
        other = bed.device.screenshot(display=name)
        assert (other.width, other.height) == SECOND_SIZE
    assert bed.device.screenshot(display=INNER).width == 1080


def test_a_display_that_does_not_exist_is_refused_by_name(bed: Bed) -> None:
    for display in (7, "4619827000000000000"):
        with pytest.raises(DeviceError) as caught:
            bed.device.screenshot(display=display)
        assert caught.value.code in ("DISPLAY_UNKNOWN", "SCREENSHOT_FAILED")
    for name in ("outer", "1; reboot", "$(reboot)", "-1", "²"):
        with pytest.raises(DeviceError, match="DISPLAY_UNKNOWN"):
            bed.open(replace(bed.settings, display=name))
        with pytest.raises(DeviceError, match="DISPLAY_UNKNOWN"):
            bed.device.screenshot(display=name)
    elsewhere = bed.open(replace(bed.settings, display="3"))
    with pytest.raises(DeviceError, match="DISPLAY_UNKNOWN"):
        elsewhere.foreground()
    with pytest.raises(DeviceError, match="DISPLAY_UNKNOWN"):
        elsewhere.observe()


def test_a_test_on_the_second_display_looks_and_touches_there(bed: Bed) -> None:
    bed.fault("second_display")
    device = bed.open(replace(bed.settings, display="1"))
    seen = device.observe()
    assert seen.size == SECOND_SIZE
    assert seen.foreground.package == SECOND_PACKAGE
    assert seen.elements is not None
    assert [element.text for element in seen.elements.elements] == [SECOND_TEXT]
    device.tap(*seen.elements.elements[0].bounds.center)
    device.press("back")
    assert bed.actions("tap elsewhere") == [{"display": 1, "arguments": ["360", "360"]}]
    assert bed.actions("keyevent elsewhere")[0]["display"] == 1
    assert bed.actions("tap") == []


def test_a_phone_that_lists_its_main_display_only_says_so(bed: Bed) -> None:
    bed.fault("second_display")
    bed.fault("dump_no_windows")
    device = bed.open(replace(bed.settings, display="1"))
    with pytest.raises(HierarchyError, match="HIERARCHY_NO_DISPLAY"):
        device.observe()
    assert device.observe(elements=False).size == SECOND_SIZE


def test_a_foldable_that_is_closed_and_opened_during_a_test(bed: Bed) -> None:
    bed.fault("foldable")
    assert bed.device.observe().size == (1080, 2400)
    bed.fault("foldable", closed=True)
    seen = bed.device.observe()
    assert seen.size == COVER_SIZE
    assert seen.elements is not None
    assert max(element.bounds.right for element in seen.elements.elements) <= COVER_SIZE[0]
    bed.fault("foldable")
    assert bed.device.observe(elements=False).size == (1080, 2400)


def test_turning_the_phone_between_looks(bed: Bed) -> None:
    device = bed.device
    device.put_setting("system", "accelerometer_rotation", "0")
    for rotation, size in ((1, (2400, 1080)), (0, (1080, 2400)), (3, (2400, 1080))):
        device.put_setting("system", "user_rotation", str(rotation))
        seen = device.observe()
        assert (seen.size, seen.rotation) == (size, rotation)
        assert seen.elements is not None
        assert seen.elements.rotation == rotation
