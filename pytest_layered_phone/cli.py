"""The console script `layered-phone`."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from pytest_layered_phone.commands import devices, doctor, init, wifi
from pytest_layered_phone.errors import PhoneError

_WRONG_WORDS = 2
_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status: 0, 1 where something is wrong, 2 for wrong words, 130 after Ctrl-C."""
    _make_printable()
    parser = argparse.ArgumentParser(
        prog="layered-phone", description="Tests of Android apps in plain language.", allow_abbrev=False
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for command in (init, doctor, devices, wifi):
        command.add_parser(commands)
    chosen, more = parser.parse_known_args(arguments)
    if wrong := [word for word in more if not word.startswith("--phone-")] or (more if not chosen.takes_settings else []):
        parser.error(f"unrecognized arguments: {' '.join(wrong)}")
    try:
        status: int = chosen.run(chosen, more)
        sys.stdout.flush()
    except PhoneError as error:
        print(f"{parser.prog} {chosen.command}: {error}", file=sys.stderr)
        return _WRONG_WORDS if error.code == "BAD_ARGUMENT" else 1
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return _INTERRUPTED
    return status


def _make_printable() -> None:
    """Lets every text be written: signs that the terminal does not know as `\\u2713`, and to nowhere where there is none."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
