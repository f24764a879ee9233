"""All facts that a phone can be asked for: `device.facts`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import overload

from pytest_layered_phone.devices.facts import apps
from pytest_layered_phone.devices.facts.clipboard import read_clipboard
from pytest_layered_phone.devices.facts.context import FactContext
from pytest_layered_phone.devices.facts.fact import Fact
from pytest_layered_phone.devices.facts.files import FileSubject, file_subject
from pytest_layered_phone.devices.facts.filters import Filter, Wanted, code_filter, joined, number_filter, text_filter, word
from pytest_layered_phone.devices.facts.matcher import called
from pytest_layered_phone.devices.facts.providers import Provider, read_table
from pytest_layered_phone.devices.facts.rows import Row, Rows, RowSubject
from pytest_layered_phone.devices.facts.sqlite import QuerySubject
from pytest_layered_phone.devices.facts.subjects import FactSubject
from pytest_layered_phone.devices.readers.notifications import read_notifications
from pytest_layered_phone.devices.readers.permissions import full_permission
from pytest_layered_phone.devices.types import Device, Foreground
from pytest_layered_phone.errors import DeviceError, SettingsError

BOXES = ("inbox", "sent", "draft", "outbox", "failed", "all")
_CALLS = {"incoming": "1", "outgoing": "2", "missed": "3", "voicemail": "4", "rejected": "5", "blocked": "6"}
_CALL_TABLE = Provider("content://call_log/calls", ("date", "duration", "type"), ("number", "name"))
_PHONE_TABLE = Provider("content://com.android.contacts/data/phones", (), ("data1", "display_name"))
_CONTACT_TABLE = Provider("content://com.android.contacts/contacts", (), ("display_name",))


@dataclass(frozen=True, repr=False)
class Facts:
    """The facts of one phone. Each reads the phone anew whenever it is asked; nothing is read before."""

    device: Device = field(repr=False)
    context: FactContext = field(default_factory=FactContext, repr=False)

    def __repr__(self) -> str:
        return "device.facts"

    @called
    def setting(self, namespace: str, key: str) -> FactSubject:
        """A system setting, as `settings get namespace key` tells it (`system`, `secure` or `global`)."""
        if namespace not in ("system", "secure", "global"):
            raise SettingsError(f"there is no settings namespace {namespace!r}", suggestion="Use system, secure or global.")
        return FactSubject(f"setting {namespace}/{key}", lambda: self.device.setting(namespace, key), self.context)

    @overload
    def foreground(self) -> FactSubject: ...
    @overload
    def foreground(self, package: str | None = None, activity: str | None = None) -> Fact: ...
    @called
    def foreground(self, package: str | None = None, activity: str | None = None) -> FactSubject | Fact:
        """What stands in front. Without arguments its package, as a subject; with them a fact.

        Args:
            package: the app that should stand in front.
            activity: its activity: full class name, `.Class` or the bare class name.
        """
        if package is None and activity is None:
            return FactSubject("foreground app", lambda: self.device.foreground().package or None, self.context)
        if package == "" or activity == "":
            raise SettingsError("foreground() was given an empty name", suggestion="Name the package or the activity.")
        wanted = "/".join(part for part in (package, activity) if part)
        return Fact(
            "foreground", f"is {wanted}", self.device.foreground, lambda seen: stands_in_front(seen, package, activity),
            self.context, lambda seen: f"{seen.package}/{seen.activity} ({seen.kind})",
        )  # fmt: skip

    @called
    def file(self, path: str, *, package: str | None = None) -> FileSubject:
        """A file of the phone; with `package` a private file of that app (debuggable apps only), from its data directory."""
        owner = None if package is None else apps.package_name(package)
        return file_subject(self.device, path, owner, self.context)

    @called
    def sms(self, box: str = "sent", *, to: str | None = None, from_: str | None = None, text: Wanted = None) -> RowSubject:
        """Text messages that the phone has stored.

        Args:
            box: `inbox`, `sent`, `draft`, `outbox`, `failed` or `all`.
            to: the number that they went to.
            from_: the number, or the name of a service, that they came from.
            text: what they say: the whole text, or a compiled regular expression that is searched.
        """
        if box not in BOXES:
            raise SettingsError(f"there is no message box {box!r}", suggestion=f"Use {', '.join(BOXES)}.")
        if to is not None and from_ is not None:
            raise SettingsError("a message has one number: to= or from_=", suggestion="Leave one of the two out.")
        if (to is not None and box == "inbox") or (from_ is not None and box not in ("inbox", "all")):
            raise SettingsError(
                f"messages of the box {box} have no {'to' if to is not None else 'from_'}=",
                suggestion='sms("inbox", from_=…) or sms("sent", to=…).',
            )
        wanted = joined(
            "text messages", word(box), number_filter("to", to, "address"), number_filter("from", from_, "address"),
            text_filter("text", text, "body"),
        )  # fmt: skip
        if box == "all" and (to or from_):
            wanted = wanted.also(lambda row: (row["type"] == "1") == (from_ is not None))
        table = Provider("content://sms" if box == "all" else f"content://sms/{box}", ("date", "type"), ("address", "body"))
        return self._rows(wanted, table, ("body",))

    @called
    def contacts(self, *, name: Wanted = None, number: str | None = None) -> RowSubject:
        """Contacts of the phone: with `number` those that have it, else all."""
        if number is None:
            wanted = joined("contacts", text_filter("name", name, "display_name"))
            return self._rows(wanted, _CONTACT_TABLE, ("display_name",))
        wanted = joined("contacts", text_filter("name", name, "display_name"), number_filter("number", number, "data1"))
        return self._rows(wanted, _PHONE_TABLE, ("display_name",))

    @called
    def calls(self, kind: str | None = None, *, number: str | None = None, name: Wanted = None) -> RowSubject:
        """The call log.

        Args:
            kind: `incoming`, `outgoing`, `missed`, `voicemail`, `rejected` or `blocked`; all if left out.
            number: the other end.
            name: the name that the phone stored with the call.
        """
        wanted = joined(
            "calls", code_filter("kind", kind, "type", _CALLS), number_filter("number", number, "number"),
            text_filter("name", name, "name"),
        )  # fmt: skip
        return self._rows(wanted, _CALL_TABLE, ("number", "name"))

    @called
    def notification(self, package: str | None = None, *, title: Wanted = None, text: Wanted = None) -> RowSubject:
        """Notifications that stand in the shade now.

        Args:
            package: the app that posted them.
            title: their title: the whole, or a compiled regular expression that is searched.
            text: their text, long text or ticker, likewise.
        """
        owner = None if package is None else apps.package_name(package)
        wanted = joined(
            "notifications", text_filter("package", owner, "package"), text_filter("title", title, "title"),
            text_filter("text", text, "text", "big_text", "ticker"),
        )  # fmt: skip

        def read() -> Rows:
            shown = read_shade(self.device, owner)
            return _picked(shown, wanted)

        return RowSubject(wanted.words, read, self.context, ("title", "text", "big_text", "ticker"))

    @called
    def package(self, name: str) -> apps.PackageSubject:
        """An app: installed or not, and its version."""
        package = apps.package_name(name)
        return apps.PackageSubject(
            f"package {package}", lambda: apps.is_installed(self.device, package), self.context, self.device, package
        )

    @called
    def app_version(self, package: str) -> FactSubject:
        """The version of an installed app (the same as `package(…).version`)."""
        return FactSubject(f"version of {package}", lambda: self.device.app_version(package), self.context)

    @called
    def permission(self, package: str, permission: str) -> apps.PermissionSubject:
        """A permission of an app, `CAMERA` for `android.permission.CAMERA`."""
        owner, full = apps.package_name(package), full_permission(apps.package_name(permission))
        return apps.PermissionSubject(
            f"permission {full} of {owner}", lambda: apps.permission_of(self.device, owner, full), self.context
        )

    @property
    def clipboard(self) -> FactSubject:
        """The clipboard, where the phone tells it: since Android 10 only with a helper app, else `FACT_NOT_AVAILABLE`."""
        return FactSubject("clipboard", lambda: read_clipboard(self.device), self.context)

    @called
    def no_crash(self, package: str) -> Fact:
        """The app neither crashed nor hung since the test got the phone, by the phone's own clock and log."""
        owner = apps.package_name(package)
        return Fact(
            f"app {owner}", "did not crash or hang since the test began", lambda: apps.crashes_of(self.device, owner),
            lambda crashes: not crashes, self.context,
            lambda crashes: "\n".join(f"{crash.kind}: {crash.summary}" for crash in crashes) or "no crash", may_be_old=True,
        )  # fmt: skip

    @called
    def sqlite(self, package: str, database: str, sql: str) -> QuerySubject:
        """What a query gives on a copy of an app's database; the app must be debuggable.

        Args:
            package: the app.
            database: the file's name in its `databases` directory, or a path below its data directory.
            sql: one `SELECT`; anything that writes is refused.
        """
        owner = apps.package_name(package)
        if not sql.strip() or not database.strip():
            raise SettingsError(
                "sqlite() needs a database and a query", suggestion='sqlite("com.example", "a.db", "SELECT …").'
            )
        return QuerySubject(
            f"{database} of {owner}: {' '.join(sql.split())}", lambda: self.device.query_database(owner, database, sql),
            self.context,
        )  # fmt: skip

    def _rows(self, wanted: Filter, table: Provider, texts: tuple[str, ...]) -> RowSubject:
        return RowSubject(
            wanted.words, lambda: _picked(read_table(self.device, table), wanted), self.context, texts
        )  # fmt: skip


def stands_in_front(seen: Foreground, package: str | None, activity: str | None) -> bool:
    """Whether the app, and the activity where one is named, has the focus. A dialog of the system in front of it is not it."""
    if seen.kind not in ("app", "dialog", "popup") or (package is not None and seen.package != package):
        return False
    if activity is None:
        return True
    full = seen.package + seen.activity if seen.activity.startswith(".") else seen.activity
    if activity.startswith("."):
        return full == seen.package + activity
    return full == activity if "." in activity else full.rpartition(".")[2] == activity


def read_shade(device: Device, package: str | None) -> list[Row]:
    """The notifications as rows. Raises DeviceError FACT_NOT_AVAILABLE where the phone tells no texts.

    With a package the phone itself leaves out the others: a text of another app could imitate a whole notification.
    """
    only = [] if package is None else ["--package", package]
    done = device.shell(["dumpsys", "notification", "--noredact", *only])
    shown = read_notifications(done.stdout or done.stderr)
    if any(each.redacted for each in shown):
        raise DeviceError(
            "this phone tells at most the lengths of notifications, not their texts", code="FACT_NOT_AVAILABLE",
            suggestion="Open the shade (device.swipe) and assert on the screen.",
        )  # fmt: skip
    return [
        {"package": n.package, "title": n.title or None, "text": n.text or None, "big_text": n.big_text or None,
         "ticker": n.ticker or None}
        for n in shown
    ]  # fmt: skip


def _picked(rows: Sequence[Row], wanted: Filter) -> Rows:
    return Rows([row for row in rows if wanted.fits(row)], [row for row in rows if wanted.may_fit(row)], rows)
