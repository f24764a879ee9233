"""Marks on pictures, and which ones are kept for a test that fails."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

from pytest_layered_phone.reporting.pictures import LastPictures, Shot, folder_name
from tests.reporting.sample_events import picture, run_events


def test_the_touched_point_is_marked_and_the_rest_left_alone() -> None:
    shot = Shot(picture(255, (540, 1200)), "tap", (100, 300))
    image = shot.image()
    assert image.getpixel((100, 300)) == (255, 255, 255)  # what was touched can be seen inside the ring
    assert any(image.getpixel((x, 300)) == (230, 0, 90) for x in range(60, 100))
    assert image.getpixel((400, 900)) == (255, 255, 255)
    assert shot.screenshot.image.getpixel((76, 300)) == (255, 255, 255)  # the picture itself stays clean


def test_a_swipe_is_a_line_from_one_point_to_the_other() -> None:
    image = Shot(picture(255, (540, 1200)), "swipe", (270, 900), (270, 300)).image()
    assert image.getpixel((270, 600)) == (230, 0, 90)


def test_report_pictures_are_bounded() -> None:
    with Image.open(io.BytesIO(Shot(picture(80, (1080, 2400)), "big").jpeg())) as image:
        assert image.format == "JPEG"
        assert image.size == (540, 1200)


def test_last_pictures_hold_each_screen_once_with_what_was_done_on_it(tmp_path: Path) -> None:
    kept = LastPictures()
    for event in run_events("failed", "NOT_SEEN"):
        kept(event)
    assert [(shot.title, shot.point) for shot in kept.shots] == [("run 1, step 1: tap", (30, 50)), ("run 1, failed", None)]
    paths = kept.save(tmp_path / "here")
    assert [path.name for path in paths] == ["01-run-1-step-1-tap.png", "02-run-1-failed.png"]
    for path in paths:
        with Image.open(path) as image:
            assert image.size == (90, 200)


def test_saving_again_replaces_what_an_earlier_run_left(tmp_path: Path) -> None:
    kept = LastPictures(most=2)
    (tmp_path / "09-old.png").write_bytes(b"old")
    (tmp_path / "notes.txt").write_text("mine")
    kept.add(picture(1), "one")
    kept.save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["01-one.png", "notes.txt"]


def test_only_the_last_ones_are_kept() -> None:
    kept = LastPictures(most=3)
    for grey in range(10):
        kept.add(picture(grey), str(grey))
    assert [shot.title for shot in kept.shots] == ["7", "8", "9"]


def test_folder_names_are_readable_and_different_for_different_tests() -> None:
    assert folder_name("tests/test_a.TestB.test_c").startswith("tests_test_a.TestB.test_c")
    assert folder_name("test_发送[张三]") != folder_name("test_发送[李四]")
    assert folder_name("a/b") != folder_name("a_b")
    assert len(folder_name("x" * 500)) <= 80
    assert "/" not in folder_name("../../etc/passwd")
    assert not folder_name("../../etc/passwd").startswith(".")
