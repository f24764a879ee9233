"""Every test of this suite begins at the login form of the shop, with an empty cart."""

from __future__ import annotations

import pytest

SHOP = "com.example.shop"


@pytest.fixture(autouse=True)
def shop_app(device):
    device.clear_app(SHOP)
    device.start_app(SHOP)
