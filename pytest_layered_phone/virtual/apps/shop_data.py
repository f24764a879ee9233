"""What the shop sells. Prices are cents."""

from __future__ import annotations

from dataclasses import dataclass

USER, PASSWORD = "demo", "secret123"


@dataclass(frozen=True)
class Product:
    """One product: English and Chinese names and descriptions stand side by side, as in a shop with goods from everywhere."""

    number: int
    name: str
    about: str
    cents: int
    icon: str
    ground: str

    @property
    def price(self) -> str:
        return money(self.cents)


def money(cents: int) -> str:
    """Cents as the shop prints them."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100}.{abs(cents) % 100:02d}"


PRODUCTS: tuple[Product, ...] = tuple(
    Product(number, *row)
    for number, row in enumerate(
        (
            ("Running shoes", "Light shoes for the road", 7990, "shoe", "#3b78e7"),
            ("无线耳机", "降噪，续航 30 小时", 12900, "headphones", "#7e57c2"),
            ("Coffee mug", "Holds 350 ml, white", 1250, "cup", "#e08a1e"),
            ("保温杯", "不锈钢，500 毫升", 2380, "bottle", "#2f9e5b"),
            ("Trail shoes", "Grip for wet ground", 9450, "shoe", "#1c8f9a"),
            ("Desk lamp", "Warm light, three levels", 3499, "lamp", "#d24b4b"),
            ("棉质T恤", "纯棉，宽松版", 1590, "shirt", "#3b78e7"),
            ("Smart watch", "Heart rate, seven days", 14900, "watch", "#6b7280"),
            ("Leather backpack", "Fits a 15 inch laptop", 8800, "bag", "#a0683c"),
            ("中文小说", "长篇小说，平装", 990, "book", "#c2556b"),
            ("Water bottle", "Holds 750 ml, blue", 1875, "bottle", "#3b78e7"),
            ("Travel guide", "Forty walks in the hills", 1620, "book", "#2f9e5b"),
            ("运动手表", "防水，支持定位", 11950, "watch", "#7e57c2"),
            ("Walking shoes", "Soft sole for long days", 6425, "shoe", "#e08a1e"),
        ),
        start=1,
    )
)
