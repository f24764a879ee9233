"""`gzip` and `zcat`, as filters."""

from __future__ import annotations

import zlib

from .context import Call, Handler


def gzip(call: Call) -> int:
    levels = [int(arg[1:]) for arg in call.args if len(arg) == 2 and arg[0] == "-" and arg[1].isdigit()]
    pack = zlib.compressobj(levels[-1] if levels else 6, zlib.DEFLATED, 31)
    call.stdout.write(pack.compress(call.read_all()) + pack.flush())
    return 0


def zcat(call: Call) -> int:
    try:
        call.stdout.write(zlib.decompress(call.read_all(), 31))
    except zlib.error:
        return call.fail("zcat: not gzip")
    return 0


COMMANDS: dict[str, Handler] = {"gzip": gzip, "zcat": zcat}
