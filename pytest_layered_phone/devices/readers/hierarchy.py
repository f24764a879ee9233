"""The XML of `uiautomator dump` as an `ElementTree`; every failure of the dump under its name, never an empty list."""

from __future__ import annotations

import re
import xml.parsers.expat

from pytest_layered_phone.devices.readers.adb_errors import check_answered
from pytest_layered_phone.devices.types import Bounds, Element, ElementTree
from pytest_layered_phone.errors import HierarchyError

_END = "</hierarchy>"
_SURROGATES = re.compile(
    r"&#(?:x(?P<hx>[dD][89abAB][0-9a-fA-F]{2})|(?P<hd>5[5-6]\d{3}));"
    r"&#(?:x(?P<lx>[dD][c-fC-F][0-9a-fA-F]{2})|(?P<ld>5[6-7]\d{3}));"
)
_BAD_REFERENCE = re.compile(r"&#(?:x([0-9a-fA-F]+)|(\d+));")
_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")
_CLASS_EDIT = re.compile(r"(?:EditText|AutoCompleteTextView|SearchAutoComplete|TextInputEditText)$")
_SUGGEST_OTHER = "Stop the other client (Appium, uiautomator2, a running instrumentation) on this phone."
_SUGGEST_AGAIN = "Try again; if it stays, restart the app or the phone."

# What the command says instead of a list: pattern, code, message, retryable, what to do.
_FAILURES = (
    (r"could not get idle state", "HIERARCHY_NOT_IDLE", "the screen never came to rest", True,
     "Stop what moves (video, animation), or look without the element list."),
    (r"UiAutomationService .* already registered|already registered!|could not connect to|has died|already connected",
     "HIERARCHY_BUSY", "another automation client holds the accessibility service", True,
     _SUGGEST_OTHER),
    (r"(?:timeout|error) while connecting", "HIERARCHY_BUSY", "no connection to the accessibility service", True,
     _SUGGEST_OTHER),
    (r"uiautomator: (?:inaccessible or )?not found", "HIERARCHY_UNSUPPORTED", "the phone has no uiautomator", False,
     "Look at pictures only (elements=False), or use a phone with Android's own tools."),
    (r"null root node", "HIERARCHY_NO_ROOT", "no window gave a root node", True, _SUGGEST_AGAIN),
    (r"^\s*Killed\s*$", "HIERARCHY_BUSY", "the phone killed uiautomator", True, _SUGGEST_OTHER),
    (r"FATAL EXCEPTION|NullPointerException", "HIERARCHY_CRASHED", "uiautomator crashed on the phone", True, _SUGGEST_AGAIN),
)  # fmt: skip


def dump_failure(text: str, exit_code: int | None = None) -> HierarchyError | None:
    """The named error that an output without a list tells; None where it tells none."""
    for pattern, code, message, retryable, suggestion in _FAILURES:
        if found := re.search(pattern, text, re.IGNORECASE | re.MULTILINE):
            return HierarchyError(
                f"no element list: {message} (“{_line(text, found.start())}”)", code=code, retryable=retryable,
                suggestion=suggestion,
            )  # fmt: skip
    if exit_code == 137:
        return HierarchyError(
            "no element list: the phone killed uiautomator (exit 137), as it does while another automation client is connected",
            code="HIERARCHY_BUSY", suggestion=_SUGGEST_OTHER,
        )  # fmt: skip
    return None


def read_dump_path(text: str, exit_code: int | None = None) -> str:
    """The file that `uiautomator dump` wrote ("hierchary" is how Android spells it)."""
    found = re.search(r"UI hier\w+ dumped to:\s*(\S+)", text)
    if found:
        return found.group(1)
    if failure := dump_failure(text, exit_code):
        raise failure
    check_answered(text, "uiautomator dump")
    raise HierarchyError(
        f"no element list: uiautomator said {text.strip()[:200]!r}", code="HIERARCHY_FAILED", suggestion=_SUGGEST_AGAIN
    )


def read_hierarchy(data: bytes | str, exit_code: int | None = None) -> ElementTree:
    """Reads a dump; text before and after the XML (stack traces, "dumped to") is passed over.

    Raises:
        HierarchyError: no XML, XML cut off or damaged, no node in it, or one of the command's own failures.
    """
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    start = text.find("<?xml")
    if start < 0:
        start = text.find("<hierarchy")
    if start < 0:
        if failure := dump_failure(text, exit_code):
            raise failure
        check_answered(text, "uiautomator dump")
        raise HierarchyError(
            f"no element list: no XML in what uiautomator wrote ({text.strip()[:200]!r})", code="HIERARCHY_NO_XML",
            suggestion=_SUGGEST_AGAIN,
        )  # fmt: skip
    if failure := dump_failure(text[:start], exit_code):
        raise failure  # this dump failed: what follows is the file of an older one
    end = text.rfind(_END)
    empty = re.search(r"<hierarchy[^<>]*/>", text[start:])
    if end < start and not empty:
        raise HierarchyError(
            f"the element list is cut off after {len(text) - start} characters", code="HIERARCHY_CUT", suggestion=_SUGGEST_AGAIN
        )
    xml_text = text[start : end + len(_END)] if end >= start else text[start : start + (empty.end() if empty else 0)]
    reader = _Reader()
    reader.read(_repair(xml_text))
    if not reader.elements:
        raise HierarchyError("the element list has no node", code="HIERARCHY_EMPTY", suggestion=_SUGGEST_AGAIN)
    return ElementTree(tuple(reader.elements), reader.rotation)


def _repair(text: str) -> str:
    """Makes XML of what some phones write: surrogate pairs as two references, references to characters XML forbids."""

    def pair(found: re.Match[str]) -> str:
        high = int(found["hx"], 16) if found["hx"] else int(found["hd"])
        low = int(found["lx"], 16) if found["lx"] else int(found["ld"])
        if not (0xD800 <= high < 0xDC00 <= low < 0xE000):
            return found.group()
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))

    def single(found: re.Match[str]) -> str:
        code = int(found.group(1), 16) if found.group(1) else int(found.group(2))
        forbidden = (code < 0x20 and code not in (9, 10, 13)) or 0xD800 <= code < 0xE000 or code in (0xFFFE, 0xFFFF)
        return "�" if forbidden or code > 0x10FFFF else found.group()

    text = _BAD_REFERENCE.sub(single, _SURROGATES.sub(pair, text))
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "�", text)


class _Reader:
    """Builds the elements. Document types and entities are refused: no phone writes them, and they can do harm."""

    def __init__(self) -> None:
        self.elements: list[Element] = []
        self.rotation = 0
        self._open: list[int] = []

    def read(self, text: str) -> None:
        parser = xml.parsers.expat.ParserCreate("utf-8")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._refuse
        parser.EntityDeclHandler = self._refuse
        try:
            parser.Parse(re.sub(r"^<\?xml[^>]*\?>", "", text).encode("utf-8", "replace"), True)
        except xml.parsers.expat.ExpatError as error:
            raise HierarchyError(
                f"the element list is damaged: {error}", code="HIERARCHY_CUT", suggestion=_SUGGEST_AGAIN
            ) from error

    def _refuse(self, *_: object) -> None:
        raise HierarchyError(
            "the element list declares a document type or an entity; no phone writes that", code="HIERARCHY_DAMAGED",
            retryable=False, suggestion="Look what answers in the phone's place.",
        )  # fmt: skip

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "hierarchy":
            turned = attributes.get("rotation", "0")
            self.rotation = int(turned) if turned.isdecimal() else 0
            return
        found = _BOUNDS.fullmatch(attributes.get("bounds", "").strip())
        if not found:
            raise HierarchyError(
                f"a node has no bounds: {attributes.get('bounds')!r}", code="HIERARCHY_DAMAGED", suggestion=_SUGGEST_AGAIN
            )
        text, hint = attributes.get("text", ""), attributes.get("hint", "")
        class_name = attributes.get("class", "")
        editable = bool(_CLASS_EDIT.search(class_name)) or attributes.get("editable") == "true"
        if hint and text == hint:  # the field is empty and shows what it is for
            text = ""
        if attributes.get("showing-hint") == "true" or attributes.get("is-showing-hint") == "true":
            text, hint = "", hint or text

        def yes(name: str) -> bool:
            return attributes.get(name) == "true"

        self.elements.append(
            Element(
                index=len(self.elements), text=text, description=attributes.get("content-desc", ""),
                resource_id=attributes.get("resource-id", ""), class_name=class_name, package=attributes.get("package", ""),
                bounds=Bounds(*(int(number) for number in found.groups())), hint=hint, clickable=yes("clickable"),
                long_clickable=yes("long-clickable"), checkable=yes("checkable"), checked=yes("checked"),
                selected=yes("selected"), enabled=attributes.get("enabled", "true") == "true", focusable=yes("focusable"),
                focused=yes("focused"), scrollable=yes("scrollable"), password=yes("password"), editable=editable,
                depth=len(self._open), parent=self._open[-1] if self._open else -1,
            )
        )  # fmt: skip
        self._open.append(len(self.elements) - 1)

    def _end(self, tag: str) -> None:
        if tag != "hierarchy":
            self._open.pop()


def _line(text: str, position: int) -> str:
    start = text.rfind("\n", 0, position) + 1
    return text[start:].split("\n", 1)[0].strip()[:200]
