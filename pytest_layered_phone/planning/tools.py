"""The tools that a planner may call, and how its calls are read."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from pytest_layered_phone.errors import ParseError
from pytest_layered_phone.models.types import ToolCall, ToolSpec
from pytest_layered_phone.planning.protocol import ChatArguments, FinishArguments, PlanSpec

Arguments = TypeVar("Arguments", bound=BaseModel)


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    return _inlined(model.model_json_schema())


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without references and titles: small servers do not follow `$ref`."""
    definitions = schema.pop("$defs", {})

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            if "$ref" in value:
                return walk(dict(definitions[value["$ref"].rpartition("/")[2]]))
            return {key: walk(item) for key, item in value.items() if key != "title" or not isinstance(item, str)}
        if isinstance(value, list):
            return [walk(item) for item in value]
        return value

    inlined: dict[str, Any] = walk(schema)
    inlined.pop("description", None)
    return inlined


MAKE_PLAN = ToolSpec(
    "make_plan",
    "Writes the plan: ordered subtasks, and what must be seen on the screen in the end. Called once, before anything is done.",
    _schema(PlanSpec),
)
LIST_DEVICES = ToolSpec(
    "list_devices", "Lists the phones of this test.", {"type": "object", "properties": {}, "additionalProperties": False}
)
CHAT = ToolSpec(
    "chat",
    "Gives one instruction to the executor of a phone and waits for its report.",
    _schema(ChatArguments),
)
FINISH = ToolSpec("finish", "Ends the run with a claim. A verifier looks at the phone afterwards.", _schema(FinishArguments))


def read_arguments(call: ToolCall, model: type[Arguments]) -> Arguments:
    """The arguments of a call, validated.

    Raises:
        ParseError: they are no JSON object, or do not follow the schema; the message names each fault.
    """
    try:
        data = json.loads(call.arguments or "{}", object_pairs_hook=_unique_keys)
    except ValueError as error:
        raise ParseError(f"the arguments of {call.name} are not valid JSON: {error}", code="BAD_ARGUMENTS") from None
    try:
        return model.model_validate(data)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'arguments'}: {fault['msg']}" for fault in error.errors()[:5])
        raise ParseError(f"the arguments of {call.name} are wrong: {faults}", code="BAD_ARGUMENTS") from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a key stands twice: {next(key for key in keys if keys.count(key) > 1)}")
    return dict(pairs)
