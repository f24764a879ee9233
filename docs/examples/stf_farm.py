"""Phones of a DeviceFarmer/STF farm for `--device`: a worked example of a source of phones of your own.

**Unproven on a real farm.** It follows STF's REST interface (`/api/v1`) and was tried against a stand-in server only.

Copy it beside your suite and load it, with the address and an access token of the farm (Settings > Keys) in the environment:

    STF_URL=https://stf.example.org STF_TOKEN=… pytest -p stf_farm --device=stf:any
    STF_URL=https://stf.example.org STF_TOKEN=… pytest -p stf_farm --device=stf:SERIAL

A phone is reserved when a test gets its lease, and given back when the test ends. The public key of your adb
(`~/.android/adbkey.pub`) must be known to the farm (Settings > Keys > ADB Keys), or adb is not let in. After `STF_IDLE_S`
(900) seconds without use the farm takes a phone back by itself, for instance after a `kill -9`; whether commands over adb
count as use could not be tried, so let it be longer than your longest test.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from email.message import Message
from typing import IO, Any
from urllib.parse import quote, urlsplit

import pytest

from pytest_layered_phone.devices.adb_server import AdbServer
from pytest_layered_phone.devices.phone_ref import PhoneRef
from pytest_layered_phone.errors import DeviceError, DeviceLostError, SettingsError

_FIELDS = "serial,present,ready,owner,model,sdk,version,manufacturer"
_WORD = re.compile(r"stf:(?P<serial>[^\s,]+)")
_ADDRESS = re.compile(r"[\w.\-]+:\d{1,5}")
_HTTP_TIMEOUT_S = 15.0
_CONNECT_TIMEOUT_S = 15.0


def pytest_phone_device_providers(config: pytest.Config, register: Callable[[str, Any], None]) -> None:
    register("stf", StfProvider())


def pytest_phone_redact(item: pytest.Item) -> list[str]:
    return [token] if (token := _token()) else []


class StfApi:
    """The calls that are needed. Every one raises DeviceError where the farm does not plainly say that it was done."""

    def __init__(self, url: str, token: str) -> None:
        self._base = url.rstrip("/") + "/api/v1"
        self._token = token
        self._opener = urllib.request.build_opener(_NoRedirect())

    def devices(self) -> list[dict[str, Any]]:
        listed = self._ask("GET", f"/devices?fields={_FIELDS}").get("devices")
        if not isinstance(listed, list) or not all(isinstance(one, dict) and one.get("serial") for one in listed):
            raise _error(f"the list of devices has another form than expected: {str(listed)[:200]}", "FARM_ANSWER")
        return listed

    def mine(self) -> list[str]:
        """Serials of the phones that this account holds now."""
        return [str(one.get("serial")) for one in self._ask("GET", "/user/devices?fields=serial").get("devices") or []]

    def reserve(self, serial: str, idle_s: float) -> None:
        self._ask("POST", "/user/devices", {"serial": serial, "timeout": int(idle_s * 1000)})

    def connect(self, serial: str) -> str:
        address = str(self._ask("POST", f"/user/devices/{quote(serial, safe='')}/remoteConnect").get("remoteConnectUrl") or "")
        if not _ADDRESS.fullmatch(address):
            raise _error(f"no address to connect to {serial}: {address!r}", "FARM_ANSWER")
        return address

    def disconnect(self, serial: str) -> None:
        self._ask("DELETE", f"/user/devices/{quote(serial, safe='')}/remoteConnect")

    def give_back(self, serial: str) -> None:
        self._ask("DELETE", f"/user/devices/{quote(serial, safe='')}")

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        request = urllib.request.Request(self._base + path, method=method)
        request.add_header("Authorization", f"Bearer {self._token}")
        data = None
        if body is not None:
            request.add_header("Content-Type", "application/json")
            data = json.dumps(body).encode("utf-8")
        what = f"{method} {path.partition('?')[0]}"
        try:
            with self._opener.open(request, data, timeout=_HTTP_TIMEOUT_S) as reply:
                status, text = reply.status, reply.read()
        except urllib.error.HTTPError as error:
            with error:
                status, text = error.code, error.read()
        except OSError as error:  # among them URLError and timeouts
            raise _error(f"{self._base} cannot be reached for {what}: {error}", "FARM_UNREACHABLE", retryable=True) from error
        try:
            answer = json.loads(text)
        except ValueError:
            answer = None
        said = str(answer.get("description", "")) if isinstance(answer, dict) else text[:200].decode("utf-8", "replace")
        if status == 401:
            raise _error(f"{what} was refused ({said or 'no reason'}): the token in STF_TOKEN is not valid", "FARM_AUTH")
        if status != 200:
            raise _error(f"{what} was answered with {status}: {said or 'no reason'}", "FARM_REFUSED", retryable=status >= 500)
        if not isinstance(answer, dict) or answer.get("success") is not True:
            raise _error(f"{what} was answered with something else than success: {said or text[:200]!r}", "FARM_ANSWER")
        return answer


class StfProvider:
    """`stf:any` and `stf:SERIAL`."""

    def __init__(self) -> None:
        self._held: dict[str, str] = {}  # address at adb -> serial at the farm

    def check(self, word: str) -> None:
        if not _WORD.fullmatch(word):
            raise SettingsError(f"{word!r} in --device names no phone of the farm", suggestion="Write stf:any or stf:SERIAL.")
        url, token = urlsplit(os.environ.get("STF_URL", "")), _token()
        if url.scheme not in ("http", "https") or not url.hostname or not token:
            raise SettingsError(
                "--device=stf:… needs the address of the farm in STF_URL and an access token in STF_TOKEN",
                suggestion="Set both in the environment; a token is made on the farm's page of settings.",
            )
        if not re.fullmatch(r"[!-~]+", token):  # http.client would show it in its complaint
            raise SettingsError(
                "STF_TOKEN holds characters that no token has", suggestion="Copy it again, without line breaks."
            )

    def count(self, word: str) -> int | None:
        return None if word == "stf:any" else 1  # how many are free nobody knows

    def resolve(self, word: str) -> list[PhoneRef]:
        """The phones that are there. Whether one is in use is only known when it is asked for."""
        wanted = word.partition(":")[2]
        listed = _api().devices()
        found = [one for one in listed if wanted in ("any", one["serial"])]
        usable = [one for one in found if one.get("present") and one.get("ready")]
        if not usable:
            states = ", ".join(f"{one['serial']} ({_state(one)})" for one in listed) or "none"
            raise _error(f"no phone for {word} is ready; the farm has {states}", "NO_DEVICE")
        server = AdbServer.from_environment()
        server.ensure_running()
        return [
            PhoneRef(
                str(one["serial"]),
                f"phone {one['serial']}",  # as by cable: the farm's serial is the phone's own
                server.host,
                server.port,
                model=str(one.get("model") or ""),
                api=int(one["sdk"]) if str(one.get("sdk") or "").isdecimal() else 0,
                release=str(one.get("version") or ""),
                manufacturer=str(one.get("manufacturer") or ""),
            )
            for one in usable
        ]

    def acquire(self, phone: PhoneRef, holder: str) -> PhoneRef:
        """Reserves the phone and connects adb to it. Where anything of this fails, the phone is given back at once."""
        serial, api = phone.identity.removeprefix("phone "), _api()
        try:
            api.reserve(serial, float(os.environ.get("STF_IDLE_S") or 900))
        except DeviceError as error:
            if error.code != "FARM_REFUSED":
                raise
            raise _not_now(serial, error) from error
        try:
            try:
                address = api.connect(serial)
            except DeviceError as error:
                raise _not_now(serial, error) if error.code == "FARM_REFUSED" else error from error
            address = self._connect(AdbServer(phone.adb_host, phone.adb_port), address)
        except BaseException:
            with contextlib.suppress(DeviceError):  # the first error says more
                api.give_back(serial)
            raise
        self._held[address] = serial
        return replace(phone, serial=address)

    def release(self, phone: PhoneRef) -> None:
        """Gives the phone back: all three steps are tried, and what went wrong is told."""
        serial = self._held.pop(phone.serial, "")
        if not serial:
            return
        api, wrong = _api(), []
        steps: list[Callable[[], object]] = [
            lambda: AdbServer(phone.adb_host, phone.adb_port).ask(f"host:disconnect:{phone.serial}"),
            lambda: api.disconnect(serial),
            lambda: api.give_back(serial),
        ]
        for step in steps:
            try:
                step()
            except DeviceError as error:
                wrong.append(error)
        # With the reservation the connection ends, too: only a phone that is still reserved matters.
        if wrong and wrong[-1].code.startswith("FARM") and self._is_still_ours(api, serial):
            raise _error(f"{serial} was not given back: {wrong[-1].message}", "FARM_RELEASE")

    def close(self) -> None:
        """Gives back what is still held; each phone by itself."""
        for address in list(self._held):
            with contextlib.suppress(DeviceError):
                server = AdbServer.from_environment()
                self.release(PhoneRef(address, "", server.host, server.port))

    def _connect(self, server: AdbServer, address: str) -> str:
        address = server.attach(address, timeout_s=_CONNECT_TIMEOUT_S)
        end = time.monotonic() + _CONNECT_TIMEOUT_S
        while True:
            state = next((row.state for row in server.devices() if row.serial == address), "gone")
            if state == "device":
                return address
            if time.monotonic() >= end or state == "unauthorized":
                with contextlib.suppress(DeviceError):
                    server.ask(f"host:disconnect:{address}")
                hint = "Add ~/.android/adbkey.pub of this machine to the ADB keys of your account at the farm."
                raise DeviceLostError(f"the farm gave {address}, but adb lists it as {state}", suggestion=hint)
            time.sleep(0.1)

    def _is_still_ours(self, api: StfApi, serial: str) -> bool:
        try:
            return serial in api.mine()
        except DeviceError:
            return True  # nobody knows: it is told


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the token to another server."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        return None


def _api() -> StfApi:
    return StfApi(os.environ["STF_URL"], _token())


def _token() -> str:
    return os.environ.get("STF_TOKEN", "").strip()


def _state(device: dict[str, Any]) -> str:
    owner = device.get("owner")
    if owner:
        return f"in use by {owner.get('name') or owner.get('email') if isinstance(owner, dict) else owner}"
    return (
        "ready" if device.get("present") and device.get("ready") else "not ready" if device.get("present") else "not attached"
    )


def _error(message: str, code: str, *, retryable: bool = False) -> DeviceError:
    return DeviceError(
        f"STF: {message}",
        code=code,
        retryable=retryable,
        suggestion="Look at the farm's own page, and at STF_URL and STF_TOKEN.",
    )


def _not_now(serial: str, error: DeviceError) -> DeviceLostError:
    """For the pool: this phone cannot be had now, take another; it is tried again later."""
    return DeviceLostError(
        f"the farm does not give {serial} now: {error.message}",
        suggestion="Wait for who uses it, or name more phones: stf:any.",
    )
