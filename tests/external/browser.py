"""The machine's own Chromium, driven by the Python package `playwright`; no build of a browser is ever downloaded."""

from __future__ import annotations

import contextlib
import functools
import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]  # fmt: skip


def tool(variable: str, *names: str) -> str:
    """A program by its environment variable, else by name on the PATH.

    Raises:
        FileNotFoundError: it is not there; says how the tests that need it are run.
    """
    found = os.environ.get(variable) or next(filter(None, map(shutil.which, names)), None)
    if not found:
        raise FileNotFoundError(f"no {' or '.join(names)} here: run .ci/external, or set {variable}")
    return found


def chromium() -> str:
    return tool("CHROMIUM", "chromium", "chromium-browser", "google-chrome")


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serves a folder on loopback, on any free port; gives its address."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def opened_page(width: int = 1300, height: int = 1000) -> Iterator[Page]:
    """An empty page in a headless Chromium with a fresh profile, which reaches nothing but loopback."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            yield browser.new_page(viewport={"width": width, "height": height})
        finally:
            browser.close()
