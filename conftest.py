"""What the repository's own tests share: pytest's harness for plugins."""

from __future__ import annotations

pytest_plugins = ["pytester"]
