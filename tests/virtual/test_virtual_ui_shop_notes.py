"""The Shop and the Notes app."""

from __future__ import annotations

from .ui_finger import Finger

SHOP = "com.example.shop"


def guest(**spec: object) -> Finger:
    finger = Finger(**spec)
    finger.open("Shop")
    finger.tap("Continue as guest")
    return finger


def test_the_login_refuses_a_wrong_password_and_takes_the_right_one() -> None:
    finger = Finger()
    finger.open("Shop")
    finger.fill("user_field", "demo")
    finger.fill("password_field", "wrong")
    field = finger.find("password_field")
    assert (field.get("password"), field.get("text")) == ("true", "•••••")
    finger.phone.key(66)
    assert finger.has("Wrong user name or password")
    assert finger.phone.resumed()[1] == f"{SHOP}.LoginActivity"
    finger.fill("password_field", "secret123")
    finger.tap("Sign in")
    assert finger.phone.resumed()[1] == f"{SHOP}.ProductListActivity"
    finger.phone.force_stop(SHOP)
    finger.open("Shop")
    assert finger.has("Search products") or finger.find("search_field").get("hint") == "Search products"
    finger.phone.clear_data(SHOP)
    finger.open("Shop")
    assert finger.has("Sign in")


def test_enter_in_the_user_field_goes_on_to_the_password() -> None:
    finger = Finger()
    finger.open("Shop")
    finger.fill("user_field", "demo")
    finger.phone.key(66)
    assert finger.find("password_field").get("focused") == "true"
    assert finger.find("user_field").get("focused") == "false"


def test_there_are_at_least_twelve_products_in_two_languages() -> None:
    finger = guest()
    names = dict.fromkeys(finger.of("product_name"))
    finger.scroll_to("Walking shoes")
    names |= dict.fromkeys(finger.of("product_name"))
    assert len(names) >= 12
    assert {"无线耳机", "Running shoes"} <= set(names)


def test_search_by_button_and_by_enter() -> None:
    finger = guest()
    finger.fill("search_field", "shoes")
    assert "无线耳机" in finger.of("product_name")
    finger.tap("search_button")
    assert finger.of("product_name") == ["Running shoes", "Trail shoes", "Walking shoes"]
    assert finger.has("3 results for “shoes”")
    assert not finger.phone.keyboard_shown()
    finger.tap("search_field")
    assert finger.phone.clear_text()
    finger.phone.type_text("手表")
    finger.phone.key(66)
    assert finger.of("product_name") == ["运动手表"]
    finger.tap("search_field")
    finger.phone.clear_text()
    finger.phone.type_text("zebra")
    finger.phone.key(66)
    assert finger.has("Nothing found")


def test_the_cart_counts_and_adds_up() -> None:
    finger = guest()
    finger.tap("无线耳机", "Add to cart", "Navigate up", "Coffee mug", "Add to cart")
    assert finger.of("cart_count") == ["2"]
    finger.tap("cart_button")
    assert finger.of("cart_total") == ["$141.50"]
    finger.tap("Increase quantity of Coffee mug")
    assert finger.of("quantity") == ["1", "2"]
    assert finger.of("cart_total") == ["$154.00"]
    finger.tap("Decrease quantity of 无线耳机")
    assert finger.of("cart_item_name") == ["Coffee mug"]
    assert finger.of("cart_total") == ["$25.00"]
    assert finger.phone.state()["cart"] == {"3": 2}
    finger.tap("Check out")
    assert finger.has("You paid $25.00")
    finger.tap("Continue shopping")
    assert finger.of("cart_count") == []


def test_wrong_total() -> None:
    finger = guest()
    finger.tap("Coffee mug", "Add to cart", "cart_button")
    finger.faults.set("wrong_total", amount=2.5)
    assert finger.of("cart_total") == ["$15.00"]
    assert finger.of("cart_item_price") == ["$12.50"]


def test_a_toast_is_drawn_for_two_seconds_and_in_no_list() -> None:
    finger = guest()
    finger.tap("Coffee mug")
    before = finger.phone.frame()
    finger.tap("Add to cart")
    shown, words = finger.phone.frame(), finger.texts()
    finger.wait(2.1)
    after = finger.phone.frame()
    assert finger.texts() == words
    assert not any("Added" in text for text in words)
    box = (200, 1950, 880, 2150)
    assert shown.crop(box).tobytes() != before.crop(box).tobytes()
    assert after.crop(box).tobytes() == before.crop(box).tobytes()


def test_a_stale_cart() -> None:
    finger = guest()
    finger.tap("Coffee mug", "Add to cart")
    finger.faults.set("stale_list")
    finger.tap("Add to cart", "cart_button")
    assert finger.of("quantity") == ["1"]
    assert finger.phone.state()["cart"] == {"3": 2}


def test_writing_a_note() -> None:
    finger = Finger()
    finger.open("Notes")
    before = finger.of("note_title")
    finger.tap("New note")
    finger.fill("title_field", "Plan 计划")
    finger.fill("body_field", "first")
    finger.phone.key(66)
    finger.phone.type_text("第二行")
    finger.tap("Save")
    assert finger.of("note_title") == ["Plan 计划", *before]
    assert finger.phone.state()["notes"][-1]["body"] == "first\n第二行"
    finger.tap("Plan 计划")
    assert finger.find("body_field").get("text") == "first\n第二行"


def test_changing_and_deleting_a_note() -> None:
    finger = Finger()
    finger.open("Notes")
    finger.tap("会议记录", "title_field")
    finger.phone.clear_text()
    finger.phone.type_text("新标题")
    finger.tap("Save")
    assert finger.of("note_title")[0] == "新标题"
    finger.tap("新标题", "Delete")
    assert finger.phone.focus().kind == "dialog"
    finger.tap("Cancel")
    assert finger.phone.focus().kind == "app"
    finger.tap("Delete", "Delete")
    assert "新标题" not in finger.of("note_title")
    assert len(finger.phone.state()["notes"]) == 2


def test_leaving_the_editor_without_saving_keeps_the_note() -> None:
    finger = Finger()
    finger.open("Notes")
    finger.tap("Book ideas")
    finger.fill("title_field", " and more")
    finger.tap("Navigate up")
    assert "Book ideas" in finger.of("note_title")


def test_deleting_all_notes_leaves_a_word() -> None:
    finger = Finger()
    finger.open("Notes")
    for title in ("Book ideas", "会议记录", "Shopping list"):
        finger.tap(title, "Delete", "Delete")
    assert finger.has("No notes yet")
