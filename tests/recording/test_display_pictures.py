"""Pictures of another display, and raw pictures, in a recording."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import ImageChops

from pytest_layered_phone.devices.screenshot import Pixels, Screenshot
from pytest_layered_phone.errors import CassetteError
from pytest_layered_phone.recording.images import ImageStore
from tests.recording.scripted import Miniature, Phone, script


def test_the_picture_of_a_display_comes_back_as_that_of_this_display(tmp_path: Path) -> None:
    recording = Miniature(tmp_path, "record", Phone(), script([]))
    sizes = [(shot.width, shot.height) for shot in (recording.device.screenshot(display=name) for name in (1, "1", 2))]
    main = recording.device.screenshot()
    recording.finish()
    assert sizes == [(64, 33), (64, 33), (64, 34)]
    played = Miniature(tmp_path, "offline", None).device
    assert (played.screenshot().width, played.screenshot(display=2).height) == (main.width, 34)
    assert [played.screenshot(display=name).height for name in ("1", 1)] == [33, 33]
    with pytest.raises(CassetteError, match="display='3'"):
        played.screenshot(display=3)


def test_a_raw_picture_is_stored_as_a_packed_one_is(tmp_path: Path) -> None:
    packed = Phone(size=(120, 200)).screenshot()
    raw = Screenshot.of_pixels(Pixels(packed.image.convert("RGBA").tobytes(), "RGBX"), packed.width, packed.height)
    store = ImageStore(tmp_path)
    first, second = store.put(packed), store.put(raw)
    assert first == second
    assert ImageChops.difference(raw.image, packed.image).getbbox() is None
    assert len(list(tmp_path.iterdir())) == 1
