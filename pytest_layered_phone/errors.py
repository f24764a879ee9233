"""One tree of errors.

Two roots, because pytest tells two things apart. `PhoneError` is trouble of the infrastructure (a phone, a model, a lease, a
cassette, a budget): the test could not be judged, pytest shows it as *error* (E). `PhoneFailure` is a judgement on the app or
on what the test says: pytest shows it as *failure* (F).
"""

from __future__ import annotations

from typing import ClassVar


class PhoneError(Exception):
    """Something that the harness needs did not work; the app was not judged.

    Args:
        message: what happened and where, for a test author.
        code: a stable word in capitals; the class has a default.
        retryable: whether the same call may succeed when it is tried again.
        suggestion: what to do next, one sentence.
    """

    default_code: ClassVar[str] = "PHONE_ERROR"
    default_retryable: ClassVar[bool] = False
    default_suggestion: ClassVar[str] = ""

    def __init__(
        self, message: str, *, code: str | None = None, retryable: bool | None = None, suggestion: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.retryable = self.default_retryable if retryable is None else retryable
        self.suggestion = self.default_suggestion if suggestion is None else suggestion

    def __str__(self) -> str:
        text = f"{self.code}: {self.message}"
        return f"{text}\n  What to do: {self.suggestion}" if self.suggestion else text

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.code, self.retryable, self.suggestion))


def _rebuild(kind: type[PhoneError], message: str, code: str, retryable: bool, suggestion: str) -> PhoneError:
    return kind(message, code=code, retryable=retryable, suggestion=suggestion)


class SettingsError(PhoneError):
    """A setting is missing, unknown or has a value that cannot be used."""

    default_code = "SETTINGS"


class DeviceError(PhoneError):
    """A phone did not do or tell what it was asked."""

    default_code = "DEVICE_ERROR"


class NoDeviceError(DeviceError):
    """No phone was named, or the one that was named is not attached."""

    default_code = "NO_DEVICE"


class DeviceLostError(DeviceError):
    """The phone went away and did not come back in time."""

    default_code = "DEVICE_LOST"
    default_retryable = True


class PhoneUnfitError(DeviceError):
    """This phone cannot be used for tests as it is (full, empty, not booted); another one may do.

    The pool puts the phone aside with the reason and hands out another. The code says what is wrong: `STORAGE_LOW`,
    `BATTERY_LOW`, `NOT_BOOTED` …; `PHONE_UNHEALTHY` where there is no word of its own.
    """

    default_code = "PHONE_UNHEALTHY"
    default_suggestion = "Run `layered-phone doctor` to see what is wrong with the attached phones."


class ScreenshotError(DeviceError):
    """The phone gave no usable picture; a picture is never invented."""

    default_code = "SCREENSHOT_FAILED"
    default_retryable = True


class HierarchyError(DeviceError):
    """The phone gave no usable element list; an empty list is never invented."""

    default_code = "HIERARCHY_FAILED"
    default_retryable = True


class TextInputError(DeviceError):
    """The text could not be typed, or is not what the field holds afterwards."""

    default_code = "TEXT_INPUT"


class AppError(DeviceError):
    """An app is not installed, did not start, or left the foreground."""

    default_code = "APP_ERROR"


class LeaseError(PhoneError):
    """No phone became free in time, or the lease directory cannot be used."""

    default_code = "LEASE_TIMEOUT"
    default_retryable = True


class ModelError(PhoneError):
    """A model endpoint could not be reached, refused the request or answered with nothing."""

    default_code = "MODEL_ERROR"


class UnreadableReplyError(PhoneError):
    """A model's reply could not be read as what it was asked for, also after repair requests."""

    default_code = "UNREADABLE_REPLY"


class ParseError(UnreadableReplyError):
    """One reply could not be read; the reason goes back to the model."""

    default_code = "MALFORMED"
    default_retryable = True


class CassetteError(PhoneError):
    """A cassette is missing, damaged, of another format, or holds no entry for what was asked."""

    default_code = "CASSETTE"


class BudgetError(PhoneError):
    """A budget of seconds, model calls or tokens is spent."""

    default_code = "BUDGET"


class PhoneFailure(AssertionError):
    """A judgement against the app or against what the test says.

    Args:
        message: the whole message that the test author sees.
        code: a stable word in capitals.
    """

    default_code: ClassVar[str] = "FAILED"

    def __init__(self, message: str, *, code: str | None = None, suggestion: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.suggestion = suggestion

    def __str__(self) -> str:
        text = self.message if self.code in self.message else f"{self.code}: {self.message}"
        return f"{text}\n  What to do: {self.suggestion}" if self.suggestion else text


class ScreenDivergedError(PhoneFailure):
    """While replaying, the live phone shows something else than the cassette did."""

    default_code = "DIVERGED"


class VerdictNotAssertedError(PhoneFailure):
    """A run, check or wait_for did not pass and the test never asked whether it did."""

    default_code = "VERDICT_NOT_ASSERTED"


class FactNotAssertedError(PhoneFailure):
    """A test writes a fact down and never asks for its truth."""

    default_code = "FACT_NOT_ASSERTED"
