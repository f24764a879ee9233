"""Random strings typed into a virtual phone: each must arrive exactly, or be refused by name.

    python benchmarks/type_strings.py [--count 10000] [--seed 1] [--show 5]

What arrived is read behind the product's back, from the virtual phone's own state. Exits with 1 if any string arrived otherwise
than it was sent, and if any was refused without a name.
"""

from __future__ import annotations

import argparse
import collections
import random
import string
import sys
import time
from collections.abc import Callable

from pytest_layered_phone.devices.adb import AdbTransport
from pytest_layered_phone.devices.adb_device import AdbDevice
from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.errors import DeviceError
from pytest_layered_phone.virtual.adb_server import PrivatePhones

Make = Callable[[random.Random], str]

_WORDS = (
    "明天下午",
    "你好",
    "שלום",
    "مرحبا",
    "नमस्ते",
    "สวัสดี",
    "héllo",
    "Größe",
    "Ñandú",
    "e\u0301",
    "한글",
    "\u1112\u1161\u11ab",
)
_EMOJI = ("😀", "👩‍👩‍👧", "👍🏽", "🇨🇳", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "❤️", "1️⃣")
_SHELL = (
    "$(reboot)",
    "`id`",
    "${HOME}",
    "'",
    '"',
    "\\",
    ";",
    "&&",
    "|",
    ">x",
    "<",
    "*",
    "?",
    "[a]",
    "~",
    "!!",
    "#",
    "\\n",
    "$'x'",
)
_ODD = (
    "\0",
    "\x01",
    "\x1b",
    "\x7f",
    "\x85",
    "\u200b",
    "\u200f",
    "\u202e",
    "\ufeff",
    "\u2028",
    "\ud800",
    "\ufffe",
    "\U0010ffff",
    "\t",
    "\n",
)


def _of(parts: tuple[str, ...] | str, low: int, high: int) -> Make:
    return lambda random_: "".join(random_.choice(parts) for _ in range(random_.randint(low, high)))


def _mixed(random_: random.Random) -> str:
    pools: tuple[tuple[str, ...], ...] = (_WORDS, _EMOJI, _SHELL, tuple(string.printable[:95]), ("%s", "%", "s", " "))
    return "".join(random_.choice(random_.choice(pools)) for _ in range(random_.randint(1, 20)))


def _any(random_: random.Random) -> str:
    return "".join(
        chr(random_.choice((random_.randrange(0x3000), random_.randrange(0x110000)))) for _ in range(random_.randint(1, 12))
    )


def _odd(random_: random.Random) -> str:
    return _mixed(random_)[:10] + random_.choice(_ODD) + _mixed(random_)[:5]


_letters = _of(string.ascii_letters, 0, 5)

KINDS: dict[str, Make] = {
    "ascii": _of(string.printable[:95], 1, 40),
    "percent": _of(("%s", "%", "s", " ", "%%", "%S", "%20"), 1, 20),
    "shell": _of(_SHELL, 1, 8),
    "options": lambda random_: random_.choice(("-", "--", "-n", "--help", "-e ", "--user 0 ")) + _letters(random_),
    "chinese": lambda random_: "".join(chr(random_.randrange(0x4E00, 0x9FA6)) for _ in range(random_.randint(1, 30))),
    "words": _of((*_WORDS, " "), 1, 8),
    "emoji": _of(_EMOJI, 1, 6),
    "mixed": _mixed,
    "any": _any,
    "odd": _odd,
    "lines": lambda random_: "\n".join(_of(string.printable[:95], 1, 12)(random_) for _ in range(random_.randint(2, 4))),
    "long": lambda random_: _of(random_.choice((string.printable[:95], "汉字。", _EMOJI)), 100, 300)(random_),  # type: ignore[arg-type]
}  # fmt: skip
_WEIGHTS = {"long": 0.1}


def strings(count: int, seed: int) -> list[tuple[str, str]]:
    """Kind and text, the same for the same seed."""
    random_ = random.Random(seed)
    names = list(KINDS)
    chosen = random_.choices(names, [_WEIGHTS.get(name, 1.0) for name in names], k=count)
    return [(name, KINDS[name](random_)) for name in chosen]


def outcome(text: str, type_text: Callable[[str], object], held: Callable[[], str]) -> str:
    """`exact`, `wrong`, or the code of the refusal."""
    try:
        type_text(text)
    except DeviceError as error:
        return error.code
    return "exact" if held() == text else "wrong"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=5)
    options = parser.parse_args()
    found: collections.Counter[str] = collections.Counter()
    refused: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    shown = 0
    begun = time.monotonic()
    with PrivatePhones.start(count=1) as phones:
        device = AdbDevice(AdbTransport(phones.phones[0].serial, AdbServer("127.0.0.1", phones.adb_port)))
        open_note(device)

        def held() -> str:
            return str(phones.control.field(0))

        for number, (kind, text) in enumerate(strings(options.count, options.seed)):
            result = outcome(text, lambda text=text: device.type_text(text, clear=True), held)  # type: ignore[misc]
            found["exact" if result == "exact" else "wrong" if result == "wrong" else "refused"] += 1
            if result not in ("exact", "wrong"):
                refused[result][kind] += 1
            if result == "wrong" and shown < options.show:
                shown += 1
                print(f"  wrong: number {number} ({kind}): {text!a} arrived as {held()!a}")
        device.close()
    for code, kinds in sorted(refused.items()):
        print(f"  {code}: {sum(kinds.values())} ({', '.join(f'{kind} {count}' for kind, count in kinds.most_common())})")
    seconds = time.monotonic() - begun
    print(
        f"{options.count} strings, seed {options.seed}: exact {found['exact']}, refused {found['refused']}, "
        f"wrong {found['wrong']}; {seconds:.0f} s, {1000 * seconds / max(1, options.count):.1f} ms a string"
    )
    return 1 if found["wrong"] else 0


def open_note(device: AdbDevice) -> None:
    """Gives the focus to the body of a new note, a field of many lines."""
    device.start_app("com.example.notes")
    tap(device, lambda element: element.text == "New note")
    device.observe()
    tap(device, lambda element: element.editable and element.hint == "Note")


def tap(device: AdbDevice, wanted: Callable[..., bool]) -> None:
    (element,) = (element for element in device.elements().elements if wanted(element))
    device.tap(*element.bounds.center)


if __name__ == "__main__":
    sys.exit(main())
