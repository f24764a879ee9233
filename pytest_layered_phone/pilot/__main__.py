"""`python -m pytest_layered_phone.pilot`: serve until stopped, or until the parent process is gone."""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time

from pytest_layered_phone.pilot.server import PilotServer
from pytest_layered_phone.pilot.wire import MODEL

PARENT_POLL_S = 0.2


def main(arguments: list[str] | None = None) -> int:
    """Serves. Prints one JSON line when it is ready: `{"base_url": …, "model": "pilot", "pid": …}`."""
    parser = argparse.ArgumentParser(prog="python -m pytest_layered_phone.pilot", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="port on loopback, 0 for any free one")
    parser.add_argument("--parent-pid", type=int, default=0, help="end when this parent process is gone")
    options = parser.parse_args(arguments)
    try:
        server = PilotServer(options.port)
    except OSError as error:
        print(f"cannot listen on port {options.port}: {error}", file=sys.stderr)
        return 1
    if options.parent_pid:
        threading.Thread(target=_end_with_parent, args=(options.parent_pid,), daemon=True).start()
    print(json.dumps({"base_url": server.base_url, "model": MODEL, "pid": os.getpid()}), flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
    return 0


def _end_with_parent(parent: int) -> None:
    """The kernel gives an orphan another parent, also when the old one was killed with no chance to say so."""
    while os.getppid() == parent:
        time.sleep(PARENT_POLL_S)
    os._exit(0)


if __name__ == "__main__":
    raise SystemExit(main())
