"""Text as pictures: runs are drawn once per font, size and weight and kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image, ImageDraw

from .fonts import font_files, has_glyph, open_font

_ELLIPSIS = "…"
# The packaged font has the forms of Taiwan, where these stand in the middle of their square; on the mainland they stand
# at its left and on the line. Shares of the text size: to the left, downwards.
_SHIFTED = {
    "，": (0.33, 0.32),
    "。": (0.33, 0.32),
    "、": (0.33, 0.32),
    "！": (0.31, 0),
    "？": (0.25, 0),
    "：": (0.31, 0),
    "；": (0.31, 0.0),
    "…": (0, 0.31),
}
_SPLIT = re.compile(f"([{''.join(_SHIFTED)}])")
# Characters that may not begin a line (closing punctuation, Chinese and Latin).
_NO_START = set("，。！？；：、）》」』】”’,.!?;:)%]}…")


@lru_cache(maxsize=256)
def _metrics(size: int) -> tuple[int, int]:
    ascent, descent = open_font(font_files()[0], size).getmetrics()
    return int(ascent), int(descent)


def line_height(size: int) -> int:
    """Pixels from one line to the next for a text of `size` pixels."""
    # The metrics of CJK fonts leave much air; Android draws lines at about 1.3 of the size.
    return round(size * 1.32)


def _runs(text: str) -> list[tuple[str, str]]:
    """The text in pieces, each with the first font that has all its glyphs."""
    fonts = font_files()
    runs: list[tuple[str, str]] = []
    for char in text:
        path = next((font for font in fonts if has_glyph(font, char)), fonts[0])
        if runs and runs[-1][0] == path:
            runs[-1] = (path, runs[-1][1] + char)
        else:
            runs.append((path, char))
    return runs


@lru_cache(maxsize=20000)
def width(text: str, size: int, bold: bool = False) -> int:
    """Width of one line in pixels."""
    total = sum(open_font(path, size).getlength(run) for path, run in _runs(text))
    return round(total) + (_bold_shift(size) if bold and text else 0)


def _bold_shift(size: int) -> int:
    # Only the regular weight comes as a package; a second stroke beside the first makes the bold one.
    return max(1, round(size / 34))


@lru_cache(maxsize=4000)
def mask(text: str, size: int, bold: bool = False) -> Image.Image:
    """The line as a grey picture (mode L) of `line_height` pixels; white is ink."""
    height = line_height(size)
    picture = Image.new("L", (max(1, width(text, size, bold) + 2), height), 0)
    draw = ImageDraw.Draw(picture)
    ascent, descent = _metrics(size)
    # Centre the letters of the main font in the line; the rest shares its baseline.
    baseline = round((height - (ascent + descent)) / 2) + ascent
    x = 0.0
    for path, run in _runs(text):
        font = open_font(path, size)
        for part in _unshifted(run):
            left, down = _SHIFTED.get(part, (0, 0)) if path == font_files()[0] else (0, 0)
            for shift in (0, _bold_shift(size)) if bold else (0,):
                draw.text((x + shift - left * size, baseline + down * size), part, fill=255, font=font, anchor="ls")
            x += font.getlength(part)
    return picture


def _unshifted(run: str) -> list[str]:
    """The run in pieces: each character that is moved when drawn, and what stands between them."""
    return [part for part in _SPLIT.split(run) if part]


def _pieces(text: str) -> list[str]:
    """Where a line may be broken: after spaces, and between Chinese characters."""
    pieces: list[str] = []
    word = ""
    for char in text:
        wide = ord(char) >= 0x2E80
        if char in _NO_START and (word or pieces):
            if word:
                word += char
            else:
                pieces[-1] += char
        elif wide:
            if word:
                pieces.append(word)
                word = ""
            pieces.append(char)
        else:
            word += char
            if char == " ":
                pieces.append(word)
                word = ""
    return [*pieces, word] if word else pieces


def _fit(text: str, size: int, bold: bool, room: int) -> int:
    """How many characters of a text fit into `room` pixels, at least one."""
    low, high = 1, max(1, len(text))
    while low < high:
        middle = (low + high + 1) // 2
        if width(text[:middle], size, bold) <= room:
            low = middle
        else:
            high = middle - 1
    return low


def _wrap_line(text: str, size: int, bold: bool, room: int) -> list[str]:
    lines: list[str] = []
    line = ""
    for piece in _pieces(text):
        if width((line + piece).rstrip(), size, bold) <= room:
            line += piece
            continue
        if line:
            lines.append(line.rstrip())
        line = piece
        while width(line.rstrip(), size, bold) > room and len(line) > 1:
            count = _fit(line, size, bold, room)
            lines.append(line[:count])
            line = line[count:]
    return [*lines, line.rstrip()]


@dataclass(frozen=True)
class Paragraph:
    """A text broken into lines: `width` and `height` in pixels."""

    lines: tuple[str, ...]
    width: int
    height: int


@lru_cache(maxsize=4000)
def paragraph(text: str, size: int, bold: bool, room: int, max_lines: int = 0) -> Paragraph:
    """Breaks a text into lines of at most `room` pixels; more than `max_lines` (0: any) end in an ellipsis."""
    lines = [line for part in text.split("\n") for line in _wrap_line(part, size, bold, max(1, room))]
    if max_lines and len(lines) > max_lines:
        last = " ".join(lines[max_lines - 1 :]) if max_lines == 1 else lines[max_lines - 1]
        while last and width(last + _ELLIPSIS, size, bold) > room:
            last = last[:-1]
        lines = [*lines[: max_lines - 1], last.rstrip() + _ELLIPSIS]
    widest = max((width(line, size, bold) for line in lines), default=0)
    return Paragraph(tuple(lines), widest, line_height(size) * max(1, len(lines)))
