"""Starting apps by what the phone shows, by the user's labels and by links, on virtual phones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_layered_phone.devices.app_labels import LABELS, packages_for
from pytest_layered_phone.devices.device_settings import DeviceSettings
from pytest_layered_phone.devices.launcher import _icon
from pytest_layered_phone.devices.types import Bounds, Element, ElementTree
from pytest_layered_phone.errors import AppError
from pytest_layered_phone.virtual.adb_server import PrivatePhones
from pytest_layered_phone.virtual.apk import VirtualApk, make_apk

from .conftest import Bed

QUICK = DeviceSettings(launch_timeout_s=0.4)
HOME = "com.android.launcher3"


def install(bed: Bed, folder: Path, *apps: VirtualApk) -> None:
    for app in apps:
        path = folder / f"{app.package}.apk"
        path.write_bytes(make_apk(app))
        bed.device.install(path)


def code_of(bed: Bed, app: str) -> str:
    with pytest.raises(AppError) as caught:
        bed.device.start_app(app)
    assert caught.value.suggestion
    return caught.value.code


# -- labels ------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crowded_phones(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivatePhones]:
    """A Chinese phone with more apps than its home screen shows."""
    folder = tmp_path_factory.mktemp("apks")
    with PrivatePhones.start(count=1, locale="zh-CN") as phones:
        many = [VirtualApk(f"org.example.app{number}", f"App {number}", f"应用{number}号") for number in range(26)]
        bed = Bed(phones)
        install(bed, folder, *many, VirtualApk("org.example.drip", "Drip", "滴滤 咖啡"))
        bed.device.close()
        yield phones


@pytest.fixture
def crowded(crowded_phones: PrivatePhones) -> Iterator[Bed]:
    bed = Bed(crowded_phones)
    yield bed
    bed.clear()
    for device in bed.opened:
        device.close()


@pytest.mark.parametrize("pages", [False, True], ids=["list", "pages"])
def test_a_chinese_label_is_found_behind_the_home_screen(crowded: Bed, pages: bool) -> None:
    if pages:
        crowded.fault("launcher_pages")
    for label, package in (("应用3号", "org.example.app3"), ("滴滤  咖啡", "org.example.drip"), ("便签", "com.example.notes")):
        crowded.device.start_app(label)
        assert crowded.device.foreground().package == package
    with pytest.raises(AppError) as caught:
        crowded.device.start_app("没有这个应用")
    assert caught.value.code == "APP_NOT_FOUND"


def test_two_apps_with_one_label_are_not_chosen_between(chinese: Bed, tmp_path: Path) -> None:
    install(chinese, tmp_path, VirtualApk("org.example.one", "A", "双胞胎"), VirtualApk("org.example.two", "B", "双胞胎"))
    assert code_of(chinese, "双胞胎") == "APP_AMBIGUOUS"
    chinese.device.close()
    chinese.opened.clear()
    chinese.open(labels={"双胞胎": "org.example.two"})
    chinese.device.start_app("双胞胎")
    assert chinese.device.foreground().package == "org.example.two"


def test_what_the_phone_shows_goes_before_words_of_package_names(bed: Bed, tmp_path: Path) -> None:
    install(bed, tmp_path, VirtualApk("org.example.pay", "Wallet", "钱包"), VirtualApk("org.example.shown", "Pay", "支付"))
    for _ in range(2):  # found on the home screen, then known
        bed.device.start_app("Pay")
        assert bed.device.foreground().package == "org.example.shown"
        bed.device.press("home")
    bed.device.start_app("shown")
    assert bed.device.foreground().package == "org.example.shown"


def test_an_app_that_dies_at_its_start_is_named(bed: Bed, tmp_path: Path) -> None:
    install(bed, tmp_path, VirtualApk("org.example.frail", "Frail Thing", crashes=True))
    assert code_of(bed, "org.example.frail") == "APP_CRASHED"
    bed.device.press("home")
    bed.tap_text("Close app")
    assert code_of(bed, "Frail Thing") == "APP_CRASHED"


def test_a_label_on_a_locked_phone_is_not_called_missing(bed: Bed) -> None:
    bed.open(QUICK)
    bed.device.press("power")
    bed.device.press("wakeup")
    assert code_of(bed, "Some Label") == "SCREEN_LOCKED"


def icon(index: int, text: str, parent: int = 0, resource_id: str = "", package: str = HOME) -> Element:
    place = Bounds(0, 100 * index, 100, 100 * index + 90)
    return Element(index, text, "", resource_id, "TextView", package, place, clickable=bool(text), parent=parent)


def test_a_suggested_app_stands_twice_and_is_one() -> None:
    tree = ElementTree((icon(0, "", -1), icon(1, "", 0, f"{HOME}:id/prediction_row"), icon(2, "微信", 1), icon(3, "微信", 0)))
    found = _icon(tree, "微信", HOME)
    assert found is not None
    assert found.index == 3
    with pytest.raises(AppError):
        _icon(ElementTree((icon(0, "", -1), icon(1, "微信"), icon(2, "微信"))), "微信", HOME)
    assert _icon(ElementTree((icon(0, "微信", package="com.android.systemui"),)), "微信", HOME) is None


def test_the_table_knows_common_apps_by_both_names() -> None:
    assert len(LABELS) >= 60
    for label, package in (
        ("微信", "com.tencent.mm"),
        ("WeChat", "com.tencent.mm"),
        ("  小红书 ", "com.xingin.xhs"),
        ("Google Maps", "com.google.android.apps.maps"),
        ("高德地图", "com.autonavi.minimap"),
        ("Outlook", "com.microsoft.office.outlook"),
    ):
        assert package in packages_for(label), label
    names = [name for key in LABELS for name in key.split("|")]
    assert sorted(names) == sorted(set(names)), "a label stands twice"
    assert all(name == name.casefold() for name in names)


# -- links -------------------------------------------------------------------------------------------------------------------


def test_a_link_opens_its_app(bed: Bed, tmp_path: Path) -> None:
    install(bed, tmp_path, VirtualApk("org.example.coffee", "Coffee", links=("coffee://", "https://coffee.example/")))
    link = "https://coffee.example/菜单?size=大&q='a b'".replace(" ", "%20")
    bed.device.open_link(link)
    assert bed.device.foreground().package == "org.example.coffee"
    assert any(element.text == link for element in bed.device.elements().elements)
    bed.device.open_link("coffee://$(reboot)", "org.example.coffee")
    assert any(element.text == "coffee://$(reboot)" for element in bed.device.elements().elements)


def test_a_link_that_cannot_be_opened_is_named(bed: Bed, tmp_path: Path) -> None:
    install(bed, tmp_path, VirtualApk("org.example.rival", "Rival", links=("vshop://",)))
    for url, package, code in (
        ("https://nobody.example/", "", "LINK_NOT_HANDLED"),
        ("vshop://cart", "com.example.notes", "LINK_NOT_HANDLED"),
        ("vshop://cart", "org.not.there", "APP_NOT_FOUND"),
        ("vshop://cart", "", "LINK_CHOOSER"),
        ("no link", "", "BAD_LINK"),
        ("--user", "", "BAD_LINK"),
        ("", "", "BAD_LINK"),
    ):
        with pytest.raises(AppError) as caught:
            bed.device.open_link(url, package)
        assert caught.value.code == code, url
        assert caught.value.suggestion
        bed.device.press("back")
    bed.device.open_link("vshop://cart", "org.example.rival")
    assert bed.device.foreground().package == "org.example.rival"


def test_a_link_whose_app_does_not_come_to_the_front_is_an_error(bed: Bed) -> None:
    bed.open(QUICK)
    bed.fault("dialog_in_front", title="Low battery", text="5 % left", button="OK")
    with pytest.raises(AppError) as caught:
        bed.device.open_link("vshop://cart")
    assert caught.value.code == "APP_NOT_IN_FRONT"
