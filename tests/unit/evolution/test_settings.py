"""Settings: typed, named, refused when unknown."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from ashe.errors import UserError
from ashe.evolution.config import GameConfig, LoggingConfig, WorkersConfig
from ashe.evolution.settings import from_mapping, setting, to_mapping


@dataclass(frozen=True)
class Inner:
    size: int = setting(ge=1, le=9, help="a size")
    names: tuple[str, ...] = setting((), help="names")


@dataclass(frozen=True)
class Outer:
    inner: Inner = setting(help="a group")  # noqa: RUF009
    kind: str = setting("a", choices=("a", "b"), help="a kind")
    rate: float = setting(0.5, gt=0.0, help="a rate")
    table: Mapping[str, float] = setting({}, help="a table")
    maybe: int | None = setting(None, ge=0, help="perhaps a number")
    flag: bool = setting(True, help="a switch")
    either: float | str = setting(1.0, help="a number or a word")


GOOD = {
    "inner": {"size": 3, "names": ["x", "y"]}, "kind": "b", "rate": 2, "table": {"HM": 5}, "maybe": 4,
    "flag": False, "either": "1/fan_in",
}  # fmt: skip


def test_there_and_back():
    outer = from_mapping(Outer, GOOD)
    assert outer == Outer(Inner(3, ("x", "y")), "b", 2.0, {"HM": 5.0}, 4, False, "1/fan_in")
    assert isinstance(outer.rate, float)
    assert from_mapping(Outer, to_mapping(outer)) == outer
    assert to_mapping(outer)["inner"]["names"] == ["x", "y"]
    assert from_mapping(Outer, {"inner": {"size": 1}}).table == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"inner": {"size": 0}}, r"inner\.size=0 is out of range: it must be >= 1 \(a size\)"),
        ({"inner": {"size": 10}}, r"inner\.size=10 is out of range: it must be <= 9"),
        ({"inner": {"size": 2.5}}, r"inner\.size=2\.5 must be a whole number"),
        ({"inner": {"size": True}}, r"inner\.size=True must be a whole number"),
        ({"inner": {"size": "3"}}, r"inner\.size='3' must be a whole number"),
        ({"inner": {}}, r"setting inner\.size is missing \(a size\)"),
        ({"inner": 5}, "inner must be a group of settings, got 5"),
        ({"inner": {"size": 3, "name": []}}, r"unknown setting inner\.name; did you mean 'names'\?"),
        ({"colour": 1}, "unknown setting colour; known: either, flag"),
        ({"kind": "c"}, "kind='c' is not known; allowed: a, b"),
        ({"rate": 0.0}, "rate=0.0 is out of range: it must be > 0"),
        ({"rate": float("nan")}, "rate=nan is not a finite number"),
        ({"table": [1]}, r"table=\[1\] must be a mapping"),
        ({"table": {"HM": "x"}}, r"table\.HM='x' must be a number"),
        ({"maybe": -1}, "maybe=-1 is out of range"),
        ({"maybe": "x"}, "maybe='x' must be a whole number"),
        ({"flag": 1}, "flag=1 must be true or false"),
        ({"either": []}, r"either=\[\] must be a number or text"),
    ],
)
def test_refusals_name_the_key_what_came_and_what_is_allowed(change, message):
    with pytest.raises(UserError, match=message) as error:
        from_mapping(Outer, {**GOOD, **change})
    assert "\n" not in str(error.value)


def test_impossible_combinations():
    with pytest.raises(UserError, match="small_blind=50 <= big_blind=20 <= stack=20000 must hold"):
        from_mapping(GameConfig, {"big_blind": 20})
    with pytest.raises(UserError, match="kind='threads' is not known; allowed: in_process, local, ray"):
        from_mapping(WorkersConfig, {"kind": "threads"})
    with pytest.raises(UserError, match="keep_checkpoints=1 is out of range"):
        from_mapping(LoggingConfig, {"keep_checkpoints": 1})
