"""Phases of opponents and module sessions (spec sections 4 and 10)."""

import pytest
import torch

from ashe.errors import UserError
from ashe.evolution.composing import compose, default_config_dir, settings_of
from ashe.evolution.config import CurriculumConfig
from ashe.evolution.curriculum import WHOLE, Curriculum, Phase, Session, assemble, evolving_slice
from ashe.evolution.settings import from_mapping

HIGH, LOW = ("HM", "CM", "SL", "CS"), ("LA", "LP", "TP", "TA")


def test_a4_changes_opponents_at_its_boundary():
    """A4: first 200 generations as A1, then 300 as A2."""
    a4 = Curriculum((Phase(200, HIGH), Phase(300, LOW)))
    assert a4.generations == 500
    assert a4.opponents == HIGH + LOW
    moments = [a4.at(g) for g in range(500)]
    assert [m.opponents for m in moments] == [HIGH] * 200 + [LOW] * 300
    assert [g for g, m in enumerate(moments) if m.starts_phase] == [0, 200]
    assert [g for g, m in enumerate(moments) if m.starts_session] == [0], "the population lives on"
    assert {m.module for m in moments} == {WHOLE}
    with pytest.raises(ValueError, match="beyond the end"):
        a4.at(500)


def test_sessions_repeat_to_the_end_across_phases():
    """ASHE 2.2: 750 generations (300 + 450), sessions of 100 (OARE) and 50 (SWRE)."""
    c = Curriculum((Phase(300, HIGH), Phase(450, LOW)), (Session("oare", 100), Session("swre", 50)))
    moments = [c.at(g) for g in range(750)]
    assert [g for g, m in enumerate(moments) if m.starts_session] == [0, 100, 150, 250, 300, 400, 450, 550, 600, 700]
    assert [moments[g].module for g in (0, 99, 100, 149, 150, 749)] == ["oare", "oare", "swre", "swre", "oare", "swre"]
    assert [moments[g].session for g in (0, 100, 150, 300, 749)] == [0, 1, 2, 4, 9]
    assert moments[300].starts_phase
    assert moments[300].starts_session


@pytest.mark.parametrize(
    ("option", "generations", "opponents"),
    [
        ("high", 250, HIGH),
        ("low", 500, LOW),
        ("mixed", 500, ("HM", "SL", "LA", "TP")),
        ("high_then_low", 500, HIGH + LOW),
    ],
)
def test_shipped_curricula(option, generations, opponents):
    """A1 to A4 as published (A1 in ASHE 1.0's length)."""
    config = settings_of(compose(default_config_dir(), [f"curriculum={option}"]))
    built = config.curriculum.build()
    assert (built.generations, built.opponents) == (generations, opponents)


def test_assemble_puts_each_part_into_the_one_frozen_genome():
    frozen, part = torch.arange(5.0), torch.tensor([[-1.0, -2.0], [-3.0, -4.0]])
    genomes = assemble(frozen, part, evolving_slice("b", {"a": (0, 1), "b": (1, 3), "c": (3, 5)}, 5))
    assert genomes.tolist() == [[0, -1, -2, 3, 4], [0, -3, -4, 3, 4]]
    assert frozen.tolist() == [0, 1, 2, 3, 4]
    assert evolving_slice(WHOLE, {}, 5) == slice(0, 5)


def test_refusals():
    for data, message in [
        ({}, "give generations and opponents, or phases"),
        ({"generations": 5}, "give generations and opponents, or phases"),
        ({"generations": 5, "opponents": ["HM"], "phases": [{"generations": 1, "opponents": ["HM"]}]}, "not both"),
        ({"generations": 0, "opponents": ["HM"]}, "generations=0 is out of range: it must be >= 1"),
        ({"phases": [{"generations": 3, "opponents": []}]}, r"phases\[0\]: opponents is empty"),
        ({"phases": [{"generations": 3, "opponents": ["HM", "HM"]}]}, "names one twice"),
        (
            {"phases": [{"generation": 3, "opponents": ["HM"]}]},
            r"unknown setting phases\[0\]\.generation; did you mean",
        ),
        ({"generations": 5, "opponents": "HM"}, "opponents='HM' must be a list"),
        ({"generations": 2.5, "opponents": ["HM"]}, "generations=2.5 must be a whole number"),
        ({"generations": 5, "opponents": ["HM"], "sessions": [{"module": "x", "generations": 0}]}, "must be >= 1"),
    ]:
        with pytest.raises(UserError, match=message):
            from_mapping(CurriculumConfig, data).build()
    modules = {"ofre": (0, 2), "swre": (2, 4)}
    with pytest.raises(UserError, match="unknown opponent 'HN' in the curriculum; did you mean 'HM'"):
        Curriculum((Phase(1, ("HN",)),)).check(modules, HIGH)
    with pytest.raises(UserError, match="unknown module 'oare' in sessions; did you mean"):
        Curriculum((Phase(1, ("HM",)),), (Session("oare", 1),)).check(modules, HIGH)
    with pytest.raises(UserError, match="has no phase"):
        Curriculum(()).check(modules, HIGH)
