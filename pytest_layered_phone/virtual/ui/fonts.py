"""Finds a font that shows Chinese and Latin text, and the fonts that help out where it lacks a glyph."""

from __future__ import annotations

import importlib.util
import os
import sys
from functools import cache, lru_cache
from importlib import metadata
from pathlib import Path

from PIL import ImageFont

_PACKAGES = (("cvttf-notosanscjk-regular", "cvttf_NotoSansCJK_Regular"),)
_SUFFIXES = (".otf", ".ttf", ".ttc")
_PROBE = "设置开会汉"
# A private-use code point that no text font draws: what it looks like is the box for missing glyphs.
_MISSING = "\ue5c3"
_SYSTEM_WORDS = (
    "notosanscjk",
    "notosanssc",
    "sourcehan",
    "wqy",
    "wenquanyi",
    "droidsansfallback",
    "pingfang",
    "hiragino",
    "msyh",
    "simhei",
)


class FontMissing(OSError):
    """No font on this machine shows Chinese text."""

    def __init__(self) -> None:
        super().__init__(
            "The virtual phone found no font that shows Chinese text, neither from a package nor among the system's fonts. "
            "Install one with:  pip install 'pytest-layered-phone[virtual]'"
        )


def _package_fonts() -> list[Path]:
    found: list[Path] = []
    for distribution, module in _PACKAGES:
        try:
            files = metadata.files(distribution) or []
        except metadata.PackageNotFoundError:
            files = []
        found += [Path(str(file.locate())) for file in files if file.suffix.lower() in _SUFFIXES]
        spec = importlib.util.find_spec(module)
        for folder in (spec.submodule_search_locations or []) if spec else []:
            found += [path for path in sorted(Path(folder).rglob("*")) if path.suffix.lower() in _SUFFIXES]
    return [path for path in found if path.is_file()]


def _system_folders() -> list[Path]:
    home = Path.home()
    if sys.platform == "darwin":
        places = [Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts"]
    elif os.name == "nt":
        places = [Path(os.environ.get("WINDIR", "C:/Windows")) / "Fonts"]
    else:
        shared = os.environ.get("XDG_DATA_DIRS", "/usr/local/share:/usr/share").split(":")
        places = [*(Path(place) / "fonts" for place in shared), home / ".local/share/fonts", home / ".fonts"]
    return [place for place in places if place.is_dir()]


def _system_fonts() -> list[Path]:
    found = [path for folder in _system_folders() for path in sorted(folder.rglob("*")) if path.suffix.lower() in _SUFFIXES]

    def rank(path: Path) -> tuple[int, str]:
        name = path.name.lower().replace("-", "").replace("_", "")
        hits = [index for index, word in enumerate(_SYSTEM_WORDS) if word in name]
        plain = not any(word in name for word in ("bold", "italic", "oblique", "light", "thin", "serif", "mono"))
        return (hits[0] if hits else 100 + (0 if plain else 1), str(path))

    return sorted(found, key=rank)


@lru_cache(maxsize=256)
def open_font(path: str, size: int) -> ImageFont.FreeTypeFont:
    """A font in a size (pixels); kept."""
    # The basic engine everywhere: raqm depends on a system library, and pictures would differ between machines.
    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)


@cache
def _missing_mask(path: str) -> tuple[tuple[int, int], bytes]:
    mask = open_font(path, 24).getmask(_MISSING)
    return mask.size, bytes(mask)


@lru_cache(maxsize=20000)
def has_glyph(path: str, char: str) -> bool:
    """Whether a font file draws a character as more than its box for missing glyphs."""
    if char.isspace():
        return True
    mask = open_font(path, 24).getmask(char)
    return (mask.size, bytes(mask)) != _missing_mask(path)


def _shows_chinese(path: Path) -> bool:
    try:
        return all(has_glyph(str(path), char) for char in _PROBE)
    except OSError:
        return False


@cache
def font_files() -> tuple[str, ...]:
    """Paths of the fonts to use, best first: the first shows Chinese. Raises FontMissing."""
    packaged = [path for path in _package_fonts() if _shows_chinese(path)]
    system = _system_fonts()
    first = packaged[:1] or [path for path in system if _shows_chinese(path)][:1]
    if not first:
        raise FontMissing
    rest = [path for path in system if path != first[0]][:6]
    return tuple(str(path) for path in (*first, *rest))
