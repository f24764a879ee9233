"""The phones of a session: what `--device` means, which of them are put aside, and which a test gets."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.devices.providers import LendingProvider, Providers
from pytest_layered_phone.errors import DeviceError, LeaseError, NoDeviceError, PhoneError, PhoneUnfitError
from pytest_layered_phone.settings import Settings

if TYPE_CHECKING:
    from pytest_layered_phone.devices.aside import AsideList
    from pytest_layered_phone.devices.device_words import DeviceWord
    from pytest_layered_phone.devices.lease import Lease, LeaseManager
    from pytest_layered_phone.devices.pool import Survey
    from pytest_layered_phone.devices.requirements import Requirements

_LOOK_AGAIN_S = 10.0
"""Phones that were refused are looked at again after so long, if a test has too few."""
_PATIENCE_S = 5.0
"""How long phones that were lost are waited for where no other is left: an adb server that was restarted finds them again."""
_ASKING_S, _QUICKLY_S = 5.0, 1.0
"""How long a phone that was lost may take to answer, and how long where that was waited for in vain before."""

Provided = dict[str, Any]


class PhonePool:
    """The phones of one process of a session.

    Args:
        settings: the settings of the session.
        providers: makes the providers of this process.
        manager: gives the leases.
        worker: the name of this xdist worker; empty without xdist.
        run_id: the session's, the same in all its workers.
        provided: in a worker, what the controller's providers gave (`provided()`).
    """

    def __init__(
        self,
        settings: Settings,
        providers: Callable[[], Providers],
        manager: Callable[[], LeaseManager],
        *,
        worker: str = "",
        run_id: str = "",
        provided: Provided | None = None,
    ) -> None:
        self._settings = settings
        self._make_providers = providers
        self._providers: Providers | None = None
        self._manager = manager
        self._worker = worker
        self._run_id = run_id
        self._provided = provided
        self._found: Survey | None = None
        self._known: dict[str, PhoneRef] = {}
        self._vain: frozenset[tuple[str, int]] = frozenset()
        self._found_at = 0.0
        self._last: list[str] = []
        self._aside: AsideList | None = None

    # -- which phones there are ------------------------------------------------------------------------------------------

    @property
    def providers(self) -> Providers:
        if self._providers is None:
            self._providers = self._make_providers()
        return self._providers

    def provided(self) -> Provided:
        """Lets the providers start or borrow what the words mean, once; plain data that a worker can be given."""
        if self._provided is None:
            self._provided = {}
            for word in self._words():
                found = self.providers.find(word.text) if word.kind == "provider" else None
                if found is not None:
                    self._provided[word.text] = self._ask(word.text, *found)
        return self._provided

    def _ask(self, word: str, scheme: str, provider: Any) -> Any:
        from dataclasses import replace

        from pytest_layered_phone.devices.pool import complete

        try:
            phones = [replace(phone, scheme=scheme) for phone in provider.resolve(word)]
            if not isinstance(provider, LendingProvider):  # what must be borrowed first cannot be asked yet
                phones = [complete(phone) for phone in phones]
        except PhoneError as error:
            return {"code": error.code, "message": error.message, "suggestion": error.suggestion}
        except Exception as error:  # a stranger's code; told by every test that needs it, not by the session
            return {"code": "PROVIDER", "message": f"{word}: {type(error).__name__}: {error}", "suggestion": ""}
        return [phone.to_data() for phone in phones]

    def phones(self) -> list[PhoneRef]:
        """The phones that tests may lease, also those that are put aside.

        Raises:
            NoDeviceError: none is named or can be used; the message says why.
            PhoneError: the only one that is named cannot be used, under its own name.
        """
        return list(self._survey().phones)

    def count(self) -> int | None:
        """How many phones there are, for the number of workers; None where that cannot be told without starting one."""
        try:
            words = self._words()
            total, attached = 0, []
            for word in words:
                found = self.providers.find(word.text) if word.kind == "provider" else None
                if found is None:
                    attached.append(word)
                    continue
                number = found[1].count(word.text)
                if number is None:
                    return None
                total += number
            if attached:
                from pytest_layered_phone.devices.pool import survey

                total += len(survey(attached).phones)
        except PhoneError:
            return None
        return total or None

    def _words(self) -> list[DeviceWord]:
        from pytest_layered_phone.devices.device_words import read_words

        return read_words(self._settings.text("phone_device"), self.providers.schemes)

    def _survey(self, *, anew: bool = False) -> Survey:
        from pytest_layered_phone.devices.pool import Survey, nothing_named, survey

        if self._found is None or anew or not self._found.phones:
            words = self._words()
            if not words:
                raise nothing_named()
            found = survey(words, provided={word: _given(given) for word, given in self.provided().items()})
            # A phone that went away since stays known; one that came back by another way is reached by that from now on.
            self._known.update((phone.identity, phone) for phone in found.phones)
            known = tuple(self._known.values())
            refused = [one for one in found.refused if not any(one.phone.endswith(phone.serial) for phone in known)]
            self._found = Survey(known, tuple(refused))
            for one in refused if known else ():
                self.aside.note_refused(one.phone, one.error.code, one.error.message)
            self._found_at = time.monotonic()
        found = self._found
        if not found.phones:
            if len(found.refused) == 1:
                raise found.refused[0].error
            # The word's own error names all that is attached.
            of_words = [r for r in found.refused if r.phone in {word.text for word in self._words()}]
            if len(of_words) == 1:
                raise of_words[0].error
            raise NoDeviceError(
                "no phone can be used:\n  " + "\n  ".join(refused.line() for refused in found.refused),
                suggestion="Make one of them ready; `adb devices -l` shows their states.",
            )
        return found

    # -- leases ----------------------------------------------------------------------------------------------------------

    def lease(
        self,
        requirements: Requirements,
        test: str,
        *,
        until: float,
        on_wait: Callable[[str], None] | None,
        without: Collection[str] = (),
    ) -> list[Lease]:
        """Takes free phones for a test, dearest those that this process had last.

        Args:
            requirements: what the test asks for.
            test: its name, for others that wait.
            until: `time.monotonic()` at which waiting ends.
            on_wait: is told for whom the test waits.
            without: identities of phones that were tried in vain.

        Returns the leases in the order in which `--device` names their phones.

        Raises:
            LeaseError: none became free in time; the message names the holders.
            NoDeviceError: no phone can ever do, or none is left; the message says what there is.
        """
        from pytest_layered_phone.devices.lease import Holder

        while True:
            leases = self._manager().acquire_some(
                self._candidates(requirements, without),
                requirements.count,
                timeout_s=max(0.0, until - time.monotonic()),
                holder=Holder(test=test, worker=self._worker),
                on_wait=on_wait,
                # Workers wait for each other all the time; only what lasts is worth a line.
                say_after_s=10.0 if self._worker else 0.0,
            )
            resting = self.aside.resting()
            if not any(lease.phone.identity in resting for lease in leases):
                break
            for lease in leases:  # its last holder has just put it aside
                lease.release()
        self._last = [lease.phone.identity for lease in leases]
        order = [phone.identity for phone in self.phones()]
        return sorted(leases, key=lambda lease: order.index(lease.phone.identity))

    def _candidates(self, requirements: Requirements, without: Collection[str]) -> list[PhoneRef]:
        fitting = self._fitting(requirements)
        resting = self.aside.resting()
        usable = [phone for phone in fitting if phone.identity not in resting and phone.identity not in without]
        if len(usable) < requirements.count:
            usable = self._look_for_lost(requirements, without)
        return self._dearest_first(usable)

    def _fitting(self, requirements: Requirements) -> list[PhoneRef]:
        found = self._survey()
        fitting = [phone for phone in found.phones if requirements.fits(phone)]
        if len(fitting) < requirements.count and found.refused and time.monotonic() - self._found_at > _LOOK_AGAIN_S:
            found = self._survey(anew=True)
            fitting = [phone for phone in found.phones if requirements.fits(phone)]
        if len(fitting) < requirements.count:
            from pytest_layered_phone.devices.requirements import shortage

            refused = "".join(f"\n  not usable: {refused.line()}" for refused in found.refused)
            raise NoDeviceError(
                shortage(requirements, found.phones, len(fitting)) + refused,
                suggestion="Attach such phones and name them in --device, or ask for less in @pytest.mark.phone.",
            )
        return fitting

    def _look_for_lost(self, requirements: Requirements, without: Collection[str]) -> list[PhoneRef]:
        """Where too few phones are left, those that were lost are looked for at once, whatever their rest."""
        from pytest_layered_phone.devices.pool import answers, reach

        trouble = frozenset((aside.identity, aside.times) for aside in self.aside.resting().values())
        known = trouble <= self._vain  # the same trouble is waited for once
        asking_s = _QUICKLY_S if known else _ASKING_S
        end = time.monotonic() + (0.0 if known else _PATIENCE_S)
        self._survey(anew=not known)
        while True:
            fitting = self._fitting(requirements)
            hopeful = [phone for phone in fitting if phone.identity not in without]
            resting = self.aside.resting()
            for phone in hopeful:
                if phone.identity not in resting or not resting[phone.identity].soon:
                    continue
                lent = isinstance(self.providers.of(phone), LendingProvider)  # only borrowing it can tell
                with contextlib.suppress(DeviceError):
                    if not lent:
                        reach(phone)
                    if lent or answers(phone, timeout_s=asking_s):
                        self.aside.take_back(phone.identity)
            resting = self.aside.resting()
            usable = [phone for phone in hopeful if phone.identity not in resting]
            if len(usable) >= requirements.count:
                return usable
            lost = [phone for phone in hopeful if phone.identity in resting and resting[phone.identity].soon]
            if len(usable) + len(lost) < requirements.count or time.monotonic() >= end:
                self._vain = trouble
                raise self._none_left(
                    requirements, usable, [resting[p.identity].line() for p in fitting if p.identity in resting]
                )
            time.sleep(0.1)

    def _none_left(self, requirements: Requirements, usable: Sequence[PhoneRef], aside: Sequence[str]) -> NoDeviceError:
        left = f"only {', '.join(phone.describe() for phone in usable)}" if usable else "no phone"
        return NoDeviceError(
            f"{left} is left for a test that asks for {requirements}; put aside:\n  " + "\n  ".join(aside),
            suggestion="Mend what is wrong with the phones (`layered-phone doctor` helps), or attach others.",
        )

    def _dearest_first(self, phones: Sequence[PhoneRef]) -> list[PhoneRef]:
        """First what this process had last; else each worker begins at another phone, so that they do not all ask for one."""
        order = [phone.identity for phone in self.phones()]
        digits = "".join(letter for letter in self._worker if letter.isdecimal())
        start = int(digits or 0) % len(order)

        def rank(phone: PhoneRef) -> tuple[bool, int]:
            return phone.identity not in self._last, (order.index(phone.identity) - start) % len(order)

        return sorted(phones, key=rank)

    # -- phones put aside ------------------------------------------------------------------------------------------------

    @property
    def aside(self) -> AsideList:
        if self._aside is None:
            from pytest_layered_phone.devices.aside import AsideList

            self._aside = AsideList(Path(self._manager().directory), self._run_id, self._worker)
        return self._aside

    def put_aside(self, phone: PhoneRef, error: PhoneError) -> None:
        """Takes a phone out of the session: for a while where it is gone or may recover, else for good."""
        unfit = isinstance(error, PhoneUnfitError)
        self.aside.put(phone, error.code, error.message, lost=not unfit or error.retryable, soon=not unfit)

    def works_again(self, phone: PhoneRef) -> None:
        """Notes that a phone which had been lost was made ready for a test."""
        self.aside.take_back(phone.identity)

    def note_left(self, phone: PhoneRef, left: Sequence[str]) -> None:
        """Notes what was changed on a phone and could not be put back; nothing, where all of it could."""
        self.aside.note_left(phone, left)

    def summary_lines(self) -> list[str]:
        """The phones that were put aside in this session or could not be used at all, and what is still changed on phones.

        None where leases cannot be had at all: each test has said so.
        """
        from pytest_layered_phone.devices.aside import NOT_PUT_BACK

        try:
            noted = self.aside.all().values()
        except LeaseError:
            return []
        left = [f"left changed: {one.line()}" for one in noted if one.code == NOT_PUT_BACK and not one.back]
        return [f"put aside: {one.line()}" for one in noted if one.code != NOT_PUT_BACK] + left

    def close(self) -> None:
        """Ends what the providers of this process started."""
        if not self._worker:
            self._forget_virtual()
        if self._providers is not None:
            self._providers.close()
        if not self._worker and self._aside is not None:
            self._aside.remove()

    def _forget_virtual(self) -> None:
        """Each session has virtual phones of its own: the files about them would be of no use, and more with each session."""
        given = [data for data in (self._provided or {}).values() if not isinstance(data, Mapping)]
        private = [phone for data in given for phone in _phones(data) if phone.scheme == "virtual"]
        if private:
            with contextlib.suppress(LeaseError):
                for phone in private:
                    self._manager().forget(phone)


def _phones(data: Any) -> list[PhoneRef]:
    return [PhoneRef.from_data(dict(one)) for one in data]


def _given(data: Any) -> list[PhoneRef] | PhoneError:
    if isinstance(data, Mapping):
        return DeviceError(str(data["message"]), code=str(data["code"]), suggestion=str(data["suggestion"]))
    return _phones(data)
