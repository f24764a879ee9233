"""What a chat request says, taken out of its wire form: messages, tools, the role that is asked for."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_layered_phone.pilot.screen import Screen, parse_elements

Role = Literal["plan", "turn", "autoglm", "generic_tools", "judge", "answer", "none"]
_APP = re.compile(r'"(?:current_app|app)":\s*("(?:[^"\\]|\\.)*")')
_TOASTS = re.compile(r"^Messages that came and went:[ \t]*(\[.*\])[ \t]*$", re.MULTILINE)
_RESULT = re.compile(r"^Result of the last action:[ \t]*(.*)$", re.MULTILINE)


class BadRequest(Exception):
    """The request is not one of the chat interface; `param` names the field."""

    def __init__(self, message: str, param: str = "") -> None:
        super().__init__(message)
        self.param = param


@dataclass(frozen=True)
class Message:
    role: str
    text: str = ""
    images: tuple[bytes, ...] = ()
    calls: tuple[tuple[str, str, dict[str, Any]], ...] = ()
    """Tool calls: id, name, arguments."""
    call_id: str = ""


@dataclass(frozen=True)
class Request:
    model: str
    messages: tuple[Message, ...]
    tools: frozenset[str] = frozenset()
    schema_name: str = ""
    stream: bool = False
    include_usage: bool = False
    max_tokens: int | None = None
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def role(self) -> Role:
        """Which part the pilot is asked to play."""
        if self.schema_name == "judgement":
            return "judge"
        if self.schema_name == "answer":
            return "answer"
        if "make_plan" in self.tools:
            return "plan"
        if "chat" in self.tools and "finish" in self.tools:
            return "turn"
        if "tap" in self.tools:
            return "generic_tools"
        asked = self.first_user_text
        if any("** Screen Info **" in message.text for message in self.messages if message.role == "user"):
            return "autoglm"
        if re.search(r"^Question:", asked, re.MULTILINE):
            return "answer"
        if re.search(r"^Goal:", asked, re.MULTILINE) and re.search(r'^- \{"id":', asked, re.MULTILINE):
            return "judge"
        return "none"

    @property
    def first_user_text(self) -> str:
        return next((message.text for message in self.messages if message.role == "user"), "")

    @property
    def system_text(self) -> str:
        return "\n".join(message.text for message in self.messages if message.role in ("system", "developer"))

    def look(self) -> int:
        """Number of the newest message that shows the screen; -1 where none does."""
        for number in range(len(self.messages) - 1, -1, -1):
            message = self.messages[number]
            if message.role in ("user", "tool") and (
                message.images
                or "** Screen Info **" in message.text
                or re.search(r"^Elements:\s*$", message.text, re.MULTILINE)
            ):
                return number
        return -1


def screen_of(request: Request) -> Screen:
    """The screen as the newest message shows it: by its element list, else by OCR of its picture.

    Raises:
        OcrMissing: there is only a picture, and the extra `pilot` is not installed.
    """
    number = request.look()
    if number < 0:
        return Screen(source="none")
    message = request.messages[number]
    app = _APP.search(message.text)
    toasts = _TOASTS.search(message.text)
    about = {
        "app": str(json.loads(app.group(1))) if app else "",
        "toasts": tuple(str(t) for t in _json_list(toasts.group(1))) if toasts else (),
    }
    items = parse_elements(message.text)
    if items is not None:
        return Screen(items, "elements", **about)  # type: ignore[arg-type]
    if message.images:
        from pytest_layered_phone.pilot.ocr import read_items

        return Screen(read_items(message.images[0]), "ocr", **about)  # type: ignore[arg-type]
    return Screen(source="none", **about)  # type: ignore[arg-type]


def last_result(request: Request) -> str:
    """What the harness said about the last action: the line before the screen, and tool messages since the last reply."""
    number = request.look()
    if number < 0:
        return ""
    words = [m.group(1) for m in _RESULT.finditer(request.messages[number].text)]
    for message in reversed(request.messages[:number]):
        if message.role == "assistant":
            break
        if message.role == "tool":
            words.append(message.text)
    return " ".join(words).strip()


def parse_request(body: bytes) -> Request:
    """The request in a body of `POST /v1/chat/completions`.

    Raises:
        BadRequest: it is no JSON object, or a field is missing or of the wrong kind.
    """
    try:
        data = json.loads(body)
    except (ValueError, UnicodeDecodeError) as error:
        raise BadRequest(f"The body is not valid JSON: {error}") from None
    if not isinstance(data, dict):
        raise BadRequest("The body must be a JSON object.")
    model = data.get("model")
    if not isinstance(model, str) or not model:
        raise BadRequest("`model` must be a string.", "model")
    messages = data.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest("`messages` must be a list that is not empty.", "messages")
    tools = data.get("tools") or []
    if not isinstance(tools, list):
        raise BadRequest("`tools` must be a list.", "tools")
    options = data.get("stream_options") or {}
    limit = data.get("max_completion_tokens", data.get("max_tokens"))
    if limit is not None and (not isinstance(limit, int) or limit < 1):
        raise BadRequest("`max_tokens` must be a positive integer.", "max_tokens")
    return Request(
        model,
        tuple(_message(message, number) for number, message in enumerate(messages)),
        tools=frozenset(_tool_name(tool, number) for number, tool in enumerate(tools)),
        schema_name=_schema_name(data.get("response_format")),
        stream=data.get("stream") is True,
        include_usage=isinstance(options, dict) and options.get("include_usage") is True,
        max_tokens=limit,
        raw=data,
    )


def _schema_name(value: object) -> str:
    if not isinstance(value, dict):
        return ""
    schema = value.get("json_schema")
    return str(schema.get("name", "")) if value.get("type") == "json_schema" and isinstance(schema, dict) else ""


def _tool_name(tool: object, number: int) -> str:
    function = tool.get("function") if isinstance(tool, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(name, str) or not name:
        raise BadRequest(f"`tools[{number}].function.name` must be a string.", f"tools[{number}]")
    return name


def _message(value: object, number: int) -> Message:
    where = f"messages[{number}]"
    if not isinstance(value, dict) or value.get("role") not in ("system", "developer", "user", "assistant", "tool"):
        raise BadRequest(f"`{where}.role` must be system, developer, user, assistant or tool.", where)
    content = value.get("content")
    texts: list[str] = []
    images: list[bytes] = []
    if isinstance(content, str):
        texts.append(content)
    elif isinstance(content, list):
        for part in content:
            kind = part.get("type") if isinstance(part, dict) else None
            if kind == "text" and isinstance(part.get("text"), str):
                texts.append(part["text"])
            elif kind == "image_url":
                images.append(_image(part.get("image_url"), where))
            else:
                raise BadRequest(f"`{where}.content` holds a part of an unknown type: {kind!r}.", where)
    elif content is not None:
        raise BadRequest(f"`{where}.content` must be a string or a list of parts.", where)
    calls = tuple(_call(call, where) for call in value.get("tool_calls") or ())
    if content is None and not calls:
        raise BadRequest(f"`{where}` has neither content nor tool calls.", where)
    return Message(str(value["role"]), "\n".join(texts), tuple(images), calls, str(value.get("tool_call_id") or ""))


def _call(value: object, where: str) -> tuple[str, str, dict[str, Any]]:
    function = value.get("function") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise BadRequest(f"`{where}.tool_calls` holds a call without a function name.", where)
    raw = function.get("arguments") or "{}"
    try:
        arguments = json.loads(raw) if isinstance(raw, str) else raw
    except ValueError:
        arguments = {}
    return str(value.get("id") or ""), function["name"], arguments if isinstance(arguments, dict) else {}


def _image(value: object, where: str) -> bytes:
    url = value.get("url") if isinstance(value, dict) else None
    if not isinstance(url, str) or not url.startswith("data:") or ";base64," not in url:
        raise BadRequest(f"`{where}` has a picture that is no base64 data: URL; the pilot fetches nothing.", where)
    try:
        return base64.b64decode(url.partition(";base64,")[2], validate=True)
    except ValueError:
        raise BadRequest(f"`{where}` has a picture that is no valid base64.", where) from None


def _json_list(text: str) -> list[Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return []
    return value if isinstance(value, list) else []
