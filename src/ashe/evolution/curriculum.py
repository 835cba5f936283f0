"""Whom to play in which generation, and which part of the genome evolves meanwhile.

*Phases*: a list of (generations, opponents). The population lives on across a change of phase.

*Module sessions* (ASHE 2.x): a list of (module, generations), repeated until the run ends. A session evolves one module
and freezes the remainder. The first session draws the evolving module per individual and shares one random remainder;
each later one starts from copies of the previous champion, the evolving module varied, one copy unvaried (the
optimiser's `from_champion`). Without sessions the whole genome evolves in one session (ASHE 1.0).

The champion of a session, and of the run, is the best fitness of its last generation.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from ashe.errors import UserError
from ashe.evolution.protocols import Slices
from ashe.evolution.settings import check, setting, suggestion

WHOLE = "genome"
"""Name of the evolving module when there are no sessions."""


@dataclass(frozen=True)
class Phase:
    generations: int = setting(ge=1, help="length of the phase")
    opponents: tuple[str, ...] = setting(help="codes of the opponents played in it")

    def __post_init__(self) -> None:
        check(self)
        if not self.opponents:
            raise UserError("opponents is empty; name at least one")
        if len(set(self.opponents)) < len(self.opponents):
            raise UserError(f"opponents {list(self.opponents)} names one twice")


@dataclass(frozen=True)
class Session:
    module: str = setting(help="name of the evolving module")
    generations: int = setting(ge=1, help="length of the session")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class Moment:
    """Where a generation lies in the curriculum."""

    phase: int
    opponents: tuple[str, ...]
    session: int
    module: str
    starts_phase: bool
    starts_session: bool


@dataclass(frozen=True)
class Curriculum:
    phases: tuple[Phase, ...]
    sessions: tuple[Session, ...] = ()

    @property
    def generations(self) -> int:
        return sum(phase.generations for phase in self.phases)

    @property
    def opponents(self) -> tuple[str, ...]:
        """Everyone who appears, in order of appearance."""
        return tuple(dict.fromkeys(name for phase in self.phases for name in phase.opponents))

    def at(self, generation: int) -> Moment:
        phase, since_phase = _locate(generation, [p.generations for p in self.phases])
        if self.sessions:
            cycle = sum(s.generations for s in self.sessions)
            turn, since_session = _locate(generation % cycle, [s.generations for s in self.sessions])
            session, module = generation // cycle * len(self.sessions) + turn, self.sessions[turn].module
        else:
            session, since_session, module = 0, generation, WHOLE
        opponents = self.phases[phase].opponents
        return Moment(phase, opponents, session, module, since_phase == 0, since_session == 0)

    def check(self, modules: Slices, known: Sequence[str]) -> None:
        """Refuse opponents and modules that the problem does not have."""
        if not self.phases:
            raise UserError("the curriculum has no phase; give generations and opponents")
        for name in self.opponents:
            if name not in known:
                raise UserError(f"unknown opponent {name!r} in the curriculum; {suggestion(name, list(known))}")
        for session in self.sessions:
            if session.module not in modules:
                near = suggestion(session.module, list(modules))
                raise UserError(f"unknown module {session.module!r} in sessions; {near}")


def _locate(position: int, lengths: Sequence[int]) -> tuple[int, int]:
    for index, length in enumerate(lengths):
        if position < length:
            return index, position
        position -= length
    raise ValueError(f"generation lies {position + 1} beyond the end of the curriculum")


def evolving_slice(module: str, modules: Slices, length: int) -> slice:
    return slice(0, length) if module == WHOLE else slice(*modules[module])


def assemble(frozen: torch.Tensor, part: torch.Tensor, where: slice) -> torch.Tensor:
    """Full genomes [P, D]: everyone's own evolving part [P, d] inside the one frozen genome [D]."""
    genomes = frozen.repeat(len(part), 1)
    genomes[:, where] = part
    return genomes
