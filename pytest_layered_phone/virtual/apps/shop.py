"""Shop: a login form, search, a list of products, a product page, a cart with a total."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from ..ui.nodes import FILL, WRAP, Color, Node
from ..ui.widgets import Kit
from .base import App, Screen
from .shop_data import PASSWORD, PRODUCTS, USER, Product, money


class Shop(App):
    package = "com.example.shop"
    links = ("vshop://", "https://shop.example/")
    permissions = tuple(f"android.permission.{name}" for name in ("INTERNET", "CAMERA", "ACCESS_FINE_LOCATION"))
    label_en, label_zh = "Shop", "商店"
    version_name, version_code = "5.1.0", 510
    icon = "bag"
    icon_ground: ClassVar[Color] = "#d2456b"
    first = "login"
    activities: ClassVar[dict[str, str]] = {
        "login": ".LoginActivity",
        "products": ".ProductListActivity",
        "product": ".ProductActivity",
        "cart": ".CartActivity",
        "done": ".OrderActivity",
    }

    def reset(self) -> None:
        self.cart: dict[int, int] = {}
        self.user: str | None = None

    def listing(self) -> dict[int, int]:
        return dict(self.cart)

    def open(self, activity: str | None, data: str | None) -> None:
        signed_in = self.user is not None
        main = activity is None or activity.endswith(".LoginActivity")
        if main and signed_in and not self.stack:
            self.go("products")
            return
        if not main and not signed_in:
            # Pages behind the login send a stranger to it.
            super().open(None, data)
            return
        super().open(activity, data)

    # login

    def build_login(self, kit: Kit, screen: Screen) -> Node:
        t, theme = kit.t, kit.theme
        parts = [
            kit.badge(self.icon, "#ffffff", self.icon_ground, side=72, radius=22),
            kit.text(t("Welcome to Shop", "欢迎来到商店"), "welcome", size=24, bold=True),
            kit.space(6),
            kit.field(screen.text("user"), t("User name", "用户名"), "user_field"),
            kit.field(screen.text("password"), t("Password", "密码"), "password_field", submit=self._sign_in, password=True),
        ]
        if screen.args.get("error"):
            parts.append(
                kit.text(t("Wrong user name or password", "用户名或密码错误"), "login_error", color=theme.error, width=FILL)
            )
        parts += [
            kit.button(t("Sign in", "登录"), "sign_in", self._sign_in, width=FILL),
            kit.flat(t("Continue as guest", "以访客身份继续"), "guest", lambda: self._enter("guest"), width=FILL),
        ]
        form = kit.column(*parts, gap=14, align="center", max_width=420)
        return kit.scroll(form, rid="login_form", cls="ScrollView", align="center", pad=(24, 32, 24, 16))

    def _sign_in(self) -> None:
        self.check(action="sign_in")
        if self.screen.text("user").text.strip() == USER and self.screen.text("password").text == PASSWORD:
            self._enter(USER)
            return
        self.screen.args["error"] = True
        self.screen.text("password").set("")
        self.phone.changed()

    def _enter(self, user: str) -> None:
        self.user = user
        self.replace("products")

    # products

    def _found(self, screen: Screen) -> list[Product]:
        wanted = screen.args.get("query", "").casefold().split()
        return [product for product in PRODUCTS if all(word in f"{product.name} {product.about}".casefold() for word in wanted)]

    def _search(self) -> None:
        self.check(action="search")
        self.screen.args["query"] = self.screen.text("search").text.strip()
        self.screen.offsets.pop("product_list", None)
        self.phone.hide_keyboard()
        self.phone.changed()

    def _cart_button(self, kit: Kit) -> Node:
        count = sum(self.cart.values())
        desc = kit.t(f"Cart, {count} items", f"购物车，{count} 件")
        button = kit.icon_button("cart", desc, "cart_button", lambda: self.go("cart"))
        if not count:
            return button
        badge = Node(
            cls="TextView",
            text=str(count),
            rid="cart_count",
            size=11,
            color="#ffffff",
            background=kit.theme.error if not kit.theme.dark else "#b3261e",
            radius=9,
            pad=(6, 1, 6, 1),
            width=WRAP,
            bold=True,
        )
        return Node(cls="FrameLayout", layout="stack", children=[button, badge], justify="end", width=48, listed=False)

    def build_products(self, kit: Kit, screen: Screen) -> Node:
        t = kit.t
        search = kit.field(
            screen.text("search"), t("Search products", "搜索商品"), "search_field", submit=self._search, icon="search"
        )
        go = kit.button(t("Search", "搜索"), "search_button", self._search)
        found = self._found(screen)
        query = screen.args.get("query", "")
        if query:
            line = t(f"{len(found)} results for “{query}”", f"“{query}”的搜索结果：{len(found)} 件")
        else:
            line = t(f"All products ({len(found)})", f"全部商品（{len(found)}）")
        head = kit.text(line, "result_count", size=13.5, color=kit.theme.muted, width=FILL, pad=(6, 4, 6, 0))
        cells = [self._cell(kit, product) for product in found]
        body = (
            [kit.card(*cells)]
            if cells
            else [kit.text(t("Nothing found", "没有找到商品"), "empty_text", size=17, pad=(6, 20, 6, 0))]
        )
        return kit.column(
            kit.bar(self.label, actions=(self._cart_button(kit),)),
            kit.row(search, go, gap=10, pad=(16, 0, 16, 8)),
            kit.scroll(head, *body, kit.space(8), rid="product_list", gap=8, pad=(14, 0, 14, 0)),
            height=FILL,
        )

    def _cell(self, kit: Kit, product: Product) -> Node:
        words = kit.column(
            kit.text(product.name, "product_name", size=16.5, width=FILL, max_lines=1),
            kit.text(product.about, "product_about", size=13.5, color=kit.theme.muted, width=FILL, max_lines=1),
            gap=2,
        )
        price = kit.text(product.price, "product_price", size=16, bold=True)
        return kit.row(
            kit.badge(product.icon, "#ffffff", product.ground, side=48, radius=14),
            words,
            price,
            gap=14,
            pad=(16, 10, 16, 10),
            clickable=True,
            on_tap=self._opener(product.number),
            rid="product_item",
            key=f"product {product.number}",
        )

    def _opener(self, number: int) -> Callable[[], None]:
        return lambda: self.go("product", number=number)

    def build_product(self, kit: Kit, screen: Screen) -> Node:
        t = kit.t
        product = PRODUCTS[screen.args.get("number", 1) - 1]
        picture = kit.stack(
            Node(icon=product.icon, size=110, width=110, height=110, color="#ffffff", listed=False),
            background=product.ground,
            radius=28,
            height=230,
            align="center",
            justify="center",
            cls="ImageView",
            desc=product.name,
        )
        body = kit.scroll(
            picture,
            kit.text(product.name, "product_name", size=25, bold=True, width=FILL),
            kit.text(product.price, "product_price", size=22, color=kit.theme.primary, bold=True),
            kit.text(product.about, "product_about", size=16, color=kit.theme.muted, width=FILL),
            kit.text(t("In stock. Delivery in two days.", "有货，两天内送达。"), "product_stock", size=15, width=FILL),
            rid="product_page",
            cls="ScrollView",
            gap=12,
            pad=(20, 4, 20, 12),
        )
        add = kit.button(t("Add to cart", "加入购物车"), "add_to_cart", lambda: self._add(product), width=FILL)
        return kit.column(
            kit.bar(t("Product", "商品"), self.up, (self._cart_button(kit),)),
            body,
            kit.row(add, pad=(20, 8, 20, 14)),
            height=FILL,
        )

    def _add(self, product: Product) -> None:
        self.check(action="add_to_cart")
        self.cart[product.number] = self.cart.get(product.number, 0) + 1
        self.phone.toast(f"已加入购物车：{product.name}" if self.phone.spec.chinese else f"Added to cart: {product.name}")

    # cart

    def total(self) -> int:
        """What the cart shows as its total, in cents."""
        cents = sum(PRODUCTS[number - 1].cents * count for number, count in self.cart.items())
        wrong = self.phone.faults.get("wrong_total")
        return cents if wrong is None else cents + round(float(wrong.get("amount", 1)) * 100)

    def build_cart(self, kit: Kit, screen: Screen) -> Node:
        t = kit.t
        items: dict[int, int] = self.cart if self.frozen is None else self.frozen
        bar = kit.bar(t("Cart", "购物车"), self.up)
        if not items:
            empty = kit.text(t("Your cart is empty", "购物车是空的"), "empty_text", size=18, color=kit.theme.muted)
            return kit.column(bar, kit.column(empty, height=FILL, align="center", justify="center"), height=FILL)
        rows = [self._cart_row(kit, PRODUCTS[number - 1], count) for number, count in items.items()]
        total = kit.row(
            kit.text(t("Total", "合计"), "total_label", size=18, width=FILL),
            kit.text(money(self.total()), "cart_total", size=22, bold=True),
        )
        pay = kit.button(t("Check out", "结算"), "checkout", self._check_out, width=FILL)
        return kit.column(
            bar,
            kit.scroll(kit.card(*rows), rid="cart_list", pad=(14, 4, 14, 8)),
            kit.column(kit.line(), total, pay, gap=12, pad=(22, 0, 22, 14)),
            height=FILL,
        )

    def _cart_row(self, kit: Kit, product: Product, count: int) -> Node:
        t, ground = kit.t, kit.theme.field
        less = kit.icon_button(
            "minus",
            t(f"Decrease quantity of {product.name}", f"减少 {product.name}"),
            "decrease",
            lambda: self._change(product, -1),
            ground=ground,
        )
        more = kit.icon_button(
            "plus",
            t(f"Increase quantity of {product.name}", f"增加 {product.name}"),
            "increase",
            lambda: self._change(product, 1),
            ground=ground,
        )
        for button in (less, more):
            button.width = button.height = 40
            button.size = 20
        amount = kit.text(str(count), "quantity", size=17, width=30, align="center")
        head = kit.row(
            kit.badge(product.icon, "#ffffff", product.ground, side=44, radius=13),
            kit.text(product.name, "cart_item_name", size=16.5, width=FILL, max_lines=1),
            kit.text(money(product.cents * count), "cart_item_price", size=16, bold=True),
            gap=14,
        )
        foot = kit.row(
            kit.text(
                t(f"{product.price} each", f"单价 {product.price}"), "unit_price", size=13.5, color=kit.theme.muted, width=FILL
            ),
            less,
            amount,
            more,
            gap=4,
            pad=(58, 0, 0, 0),
        )
        return kit.column(head, foot, gap=4, pad=(16, 12, 16, 10), rid="cart_item", key=f"cart {product.number}")

    def _change(self, product: Product, by: int) -> None:
        self.check(action="quantity")
        count = self.cart.get(product.number, 0) + by
        if count > 0:
            self.cart[product.number] = count
        else:
            self.cart.pop(product.number, None)
        self.phone.changed()

    def _check_out(self) -> None:
        self.check(action="checkout")
        paid = money(self.total())
        self.cart.clear()
        self.replace("done", paid=paid)

    def build_done(self, kit: Kit, screen: Screen) -> Node:
        t = kit.t
        return kit.column(
            kit.bar(t("Order", "订单"), self.up),
            kit.column(
                kit.badge("check", kit.theme.on_primary, kit.theme.primary, side=84),
                kit.text(t("Order placed", "下单成功"), "order_title", size=24, bold=True),
                kit.text(
                    t(f"You paid {screen.args.get('paid', '')}", f"已支付 {screen.args.get('paid', '')}"),
                    "order_total",
                    size=16,
                ),
                kit.space(8),
                kit.button(t("Continue shopping", "继续购物"), "continue_shopping", self._to_products),
                gap=12,
                align="center",
                justify="center",
                height=FILL,
            ),
            height=FILL,
        )

    def _to_products(self) -> None:
        while self.stack and self.stack[-1].name != "products":
            self.stack.pop()
        if not self.stack:
            self.go("products")
        self.phone.screen_changed()
