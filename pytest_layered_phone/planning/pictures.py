"""Pictures as the verifier is sent them: no larger than a model can use, compressed."""

from __future__ import annotations

import io

from pytest_layered_phone.devices.types import Screenshot
from pytest_layered_phone.errors import ScreenshotError
from pytest_layered_phone.models.types import ImagePart

LONG_SIDE = 1280


def image_part(screenshot: Screenshot) -> ImagePart:
    """A screenshot as JPEG, its long side at most 1280 pixels.

    Raises:
        ScreenshotError: the picture cannot be decoded.
    """
    try:
        image = screenshot.image
    except Exception as error:
        raise ScreenshotError(f"the picture cannot be decoded: {error}") from error
    scale = LONG_SIDE / max(image.size)
    if scale < 1:
        image = image.resize((max(1, round(image.width * scale)), max(1, round(image.height * scale))))
    out = io.BytesIO()
    image.save(out, "JPEG", quality=80)
    return ImagePart(out.getvalue(), "image/jpeg", image.width, image.height)
