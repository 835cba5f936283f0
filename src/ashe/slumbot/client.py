"""The connection: one request at a time, not too fast, with time-outs and patient retries.

A request that surely did not reach the server (no connection), or a `new_hand` whatever happened to it, is repeated
after a pause that doubles each time. An `act` whose answer was lost is *not* repeated: the server may have applied it,
and a second `c` would then be a call we never meant. Such a hand is void (`LostHandError`), the session goes on with
the next one.
"""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from ashe.errors import UserError
from ashe.evolution.composing import default_config_dir
from ashe.evolution.settings import from_mapping, setting
from ashe.slumbot.protocol import ProtocolError, RefusedError, Reply, read_reply

MAX_BYTES = 1 << 20
MAX_PAUSE = 60.0


class LostHandError(Exception):
    """What became of our action is unknown: the hand cannot go on."""


@dataclass(frozen=True)
class ServiceConfig:
    """conf/slumbot.yaml."""

    base: str = setting(help="address of the service, such as https://slumbot.com")
    timeout: float = setting(30.0, gt=0, help="seconds to wait for an answer")
    retries: int = setting(5, ge=0, help="repetitions of a request that failed")
    backoff: float = setting(1.0, ge=0, help="seconds before the first repetition; doubles each time")
    interval: float = setting(0.2, ge=0, help="least seconds between two requests")

    def __post_init__(self) -> None:
        if not self.base.startswith(("http://", "https://")):
            raise UserError(f"base is {self.base!r}: write an address such as https://slumbot.com")


def load_config(path: Path | None = None, base: str | None = None) -> ServiceConfig:
    """conf/slumbot.yaml or another file; `base` wins over the file's."""
    file = path or default_config_dir() / "slumbot.yaml"
    try:
        data: Any = OmegaConf.to_container(OmegaConf.load(file))
    except OSError as error:
        raise UserError(f"settings {file} cannot be read ({error}): name a file with --config") from error
    except Exception as error:  # whatever the YAML reader objects to
        raise UserError(f"settings {file} are not YAML: {error}") from error
    if base is not None and isinstance(data, dict):
        data["base"] = base
    return from_mapping(ServiceConfig, data)


class Client:
    """The two requests of the service. `clock` and `sleep` are arguments so that tests need not wait."""

    def __init__(
        self,
        config: ServiceConfig,
        token: str | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        notice: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.config, self.token = config, token
        self.clock, self.sleep, self.notice = clock, sleep, notice
        self.last = -1e9

    def new_hand(self) -> Reply:
        """A new hand; a token the server no longer knows is dropped once."""
        try:
            return self._asked("new_hand", self._with_token({}), repeat=True)
        except RefusedError as refusal:
            if self.token is None:
                raise UserError(f"{self.config.base} refuses to deal: {refusal}") from refusal
            self.notice(f"token refused ({refusal}); starting a new session with the service")
            self.token = None
            try:
                return self._asked("new_hand", {}, repeat=True)
            except RefusedError as again:
                raise UserError(f"{self.config.base} refuses to deal: {again}") from again

    def act(self, incr: str) -> Reply:
        """Our action. Raises `RefusedError` where the server finds it illegal, `LostHandError` where it got lost."""
        return self._asked("act", self._with_token({"incr": incr}), repeat=False)

    def _with_token(self, body: dict[str, str]) -> dict[str, str]:
        return body if self.token is None else {"token": self.token, **body}

    def _asked(self, what: str, body: dict[str, str], repeat: bool) -> Reply:
        pause = self.config.backoff
        for attempt in range(self.config.retries + 1):
            try:
                reply = read_reply(self._post(what, body))
            except RefusedError:
                raise
            except (OSError, ValueError, ProtocolError) as error:
                problem = _explain(error)
                if not repeat and not _never_arrived(error):
                    raise LostHandError(f"the answer to {body.get('incr')} got lost: {problem}") from error
                if attempt == self.config.retries:
                    raise UserError(
                        f"{self.config.base} does not answer {what} after {attempt + 1} attempts: {problem}; check the "
                        "address (--base) and the network, then run the same command again to go on"
                    ) from error
                self.notice(f"{what}: {problem}; again in {pause:.1f} s")
                self.sleep(min(pause, MAX_PAUSE))
                pause *= 2
                continue
            if reply.token is not None:
                self.token = reply.token
            return reply
        raise AssertionError("unreachable")

    def _post(self, what: str, body: dict[str, str]) -> Any:
        wait = self.last + self.config.interval - self.clock()
        if wait > 0:
            self.sleep(wait)
        self.last = self.clock()
        request = urllib.request.Request(
            f"{self.config.base.rstrip('/')}/api/{what}",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "User-Agent": "ashe"},
        )
        try:
            with urllib.request.urlopen(request, timeout=self.config.timeout) as answer:
                raw = answer.read(MAX_BYTES)
        except urllib.error.HTTPError as error:
            raw = error.read(MAX_BYTES)
            try:  # a refusal may come with an error status and still say why
                data = json.loads(raw)
            except ValueError:
                raise ProtocolError(f"HTTP status {error.code}") from error
            if not (isinstance(data, dict) and data.get("error_msg")):
                raise ProtocolError(f"HTTP status {error.code}") from error
            return data
        return json.loads(raw)


def _never_arrived(error: Exception) -> bool:
    """The connection was not even made."""
    reason = getattr(error, "reason", error)
    return isinstance(reason, ConnectionRefusedError)


def _explain(error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    return str(reason) or type(reason).__name__
