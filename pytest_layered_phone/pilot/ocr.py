"""Reading a picture where there is no element list: rapidocr with onnxruntime, from the extra `pilot`."""

from __future__ import annotations

import hashlib
import io
import threading
from collections import OrderedDict
from typing import Any

from pytest_layered_phone.pilot.screen import Item

MIN_SCORE = 0.6
_KEPT = 64
_SHORT_SIDE = 720
"""Pictures are scaled down to this many pixels of width before they are read; more costs time and finds no more."""

_lock = threading.Lock()
_cache: OrderedDict[str, tuple[Item, ...]] = OrderedDict()
_engine: Any = None


class OcrMissing(Exception):
    """The picture cannot be read because the extra is not installed."""

    def __init__(self, missing: str) -> None:
        super().__init__(
            f"The request has no element list, and the pilot cannot read its picture: {missing} is not installed. "
            "Install the extra: pip install 'pytest-layered-phone[pilot]', or send element lists (phone_perception=both)."
        )


class BadPicture(Exception):
    """The bytes are no picture that can be opened."""


def read_items(picture: bytes) -> tuple[Item, ...]:
    """The lines of text in a picture as items, top to bottom; boxes in thousandths. Equal pictures are read once.

    Raises:
        OcrMissing: rapidocr, onnxruntime or Pillow is not installed.
        BadPicture: the bytes are no picture.
    """
    key = hashlib.sha256(picture).hexdigest()
    with _lock:
        if key not in _cache:
            _cache[key] = _read(picture)
            while len(_cache) > _KEPT:
                _cache.popitem(last=False)
        _cache.move_to_end(key)
        return _cache[key]


def _read(picture: bytes) -> tuple[Item, ...]:
    engine = _load()
    import numpy
    from PIL import Image

    try:
        image = Image.open(io.BytesIO(picture)).convert("RGB")
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise BadPicture(f"The picture cannot be opened: {error}") from None
    scale = min(1.0, _SHORT_SIDE / min(image.size))
    if scale < 1.0:
        image = image.resize((round(image.width * scale), round(image.height * scale)))
    found = engine(numpy.asarray(image)[:, :, ::-1])
    if found.boxes is None or found.txts is None:
        return ()
    lines = []
    for box, text, score in zip(found.boxes, found.txts, found.scores, strict=True):
        if score < MIN_SCORE or not text.strip():
            continue
        xs, ys = [float(point[0]) for point in box], [float(point[1]) for point in box]
        lines.append(
            (
                text.strip(),
                (
                    round(min(xs) * 1000 / image.width),
                    round(min(ys) * 1000 / image.height),
                    round(max(xs) * 1000 / image.width),
                    round(max(ys) * 1000 / image.height),
                ),
            )
        )
    lines.sort(key=lambda line: (line[1][1], line[1][0]))
    return tuple(Item(number, "Text", text=text, box=box) for number, (text, box) in enumerate(lines))


def _load() -> Any:
    global _engine
    if _engine is None:
        for module in ("PIL", "onnxruntime", "rapidocr"):
            try:
                __import__(module)
            except ImportError:
                raise OcrMissing(module) from None
        from rapidocr import RapidOCR

        _engine = RapidOCR(params={"Global.log_level": "critical"})
    return _engine
