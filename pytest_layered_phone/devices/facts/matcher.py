"""Methods that must be called: `assert subject.exists`, without parentheses, would be true of everything."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any, NoReturn, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


class _Uncalled:
    """A method of an object. It can be called and has no truth value."""

    def __init__(self, function: Callable[..., Any], owner: object) -> None:
        self._method = MethodType(function, owner)
        functools.update_wrapper(self, self._method)
        self._owner = owner

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._method(*args, **named)

    def __bool__(self) -> NoReturn:
        __tracebackhide__ = True
        name = getattr(self._method, "__name__", "it")
        raise TypeError(f"{self._owner!r}: .{name} was not called; write .{name}(…)")


class _Method:
    def __init__(self, function: Callable[..., Any]) -> None:
        self.__doc__ = function.__doc__
        self._function = function

    def __get__(self, owner: object, kind: type | None = None) -> Any:
        return self._function if owner is None else _Uncalled(self._function, owner)


def called(function: F) -> F:
    """A method without truth value: it must be called."""
    return cast(F, _Method(function))
