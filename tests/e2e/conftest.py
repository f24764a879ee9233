"""What the end-to-end tests share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.e2e.chain import Chain


@pytest.fixture(scope="session")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    """Two virtual phones, the pilot and the liar server in front of it."""
    with closing(Chain(tmp_path_factory.mktemp("chain"))) as chain:
        yield chain
