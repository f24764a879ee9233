"""JSON schemas as servers with a strict mode want them: every object closed, every property required."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_NOT_ALLOWED = frozenset({"default", "title", "minLength", "maxLength", "examples"})


def strict_schema(schema: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """A copy of a schema that a strict server accepts, and whether strictness can be asked for at all.

    It cannot where a part of the schema leaves its type open (`{}`): a strict server refuses such a schema.
    """
    closed = _closed(schema)
    return closed, not _open(closed)


def _closed(node: Any) -> Any:
    if isinstance(node, list):
        return [_closed(item) for item in node]
    if not isinstance(node, Mapping):
        return node
    result: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("properties", "$defs", "definitions") and isinstance(value, Mapping):
            result[key] = {name: _closed(part) for name, part in value.items()}
        elif key in ("enum", "const", "required"):
            result[key] = value
        elif key not in _NOT_ALLOWED:
            result[key] = _closed(value)
    if isinstance(result.get("properties"), dict):
        result["required"] = list(result["properties"])
        result["additionalProperties"] = False
    return result


def _open(node: Any) -> bool:
    if not isinstance(node, Mapping):
        return True
    if not {"type", "anyOf", "oneOf", "allOf", "$ref", "enum", "const"} & set(node):
        return True
    parts: list[Any] = []
    for key in ("properties", "$defs", "definitions"):
        parts += list(node.get(key, {}).values())
    for key in ("anyOf", "oneOf", "allOf"):
        parts += list(node.get(key, ()))
    kind = node.get("type")
    if kind == "array" or (isinstance(kind, list) and "array" in kind):
        parts.append(node.get("items"))
    if (kind == "object" or (isinstance(kind, list) and "object" in kind)) and "properties" not in node:
        return True
    return any(_open(part) for part in parts)
