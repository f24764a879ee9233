"""Encodes a screenshot as a dialect wants it."""

from __future__ import annotations

import io

from pytest_layered_phone.devices.types import Screenshot
from pytest_layered_phone.models.types import ImagePart


def jpeg(screenshot: Screenshot, *, longest_side: int | None = None, quality: int = 80) -> ImagePart:
    """The screenshot as JPEG, scaled down where its longer side is longer than `longest_side` pixels."""
    image = screenshot.image
    longer = max(image.size)
    if longest_side is not None and longer > longest_side:
        from PIL import Image

        width, height = (max(1, round(side * longest_side / longer)) for side in image.size)
        image = image.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=2.0)
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return ImagePart(buffer.getvalue(), "image/jpeg", image.width, image.height)


def jpeg_of_size(screenshot: Screenshot, size: tuple[int, int], *, quality: int = 85) -> ImagePart:
    """The screenshot as JPEG in exactly this size in pixels, for models that answer in pixels of what they see."""
    from PIL import Image

    image = screenshot.image
    if image.size != size:
        image = image.resize(size, Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return ImagePart(buffer.getvalue(), "image/jpeg", *size)


def as_taken(screenshot: Screenshot, *, most_bytes: int, quality: int = 85) -> ImagePart:
    """The screenshot in its own size: its own bytes where they are PNG or JPEG and at most `most_bytes`, else as JPEG."""
    if screenshot.media_type in ("image/png", "image/jpeg") and len(screenshot.data) <= most_bytes:
        return ImagePart(screenshot.data, screenshot.media_type, screenshot.width, screenshot.height)
    return jpeg(screenshot, quality=quality)
