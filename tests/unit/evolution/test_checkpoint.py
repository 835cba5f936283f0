"""Checkpoints: whole or noticed."""

import pytest
import torch

from ashe.errors import UserError
from ashe.evolution.checkpoint import Checkpoint, CheckpointStore, dumps, loads, refuse_other_settings


def checkpoint(done):
    return Checkpoint(
        done=done,
        settings={"seed": 1, "curriculum.opponents": ["HM", "CS"], "evolution.fitness.floor": None},
        optimiser={"generation": done, "population": torch.full((4, 3), done / 3)},
        frozen=torch.zeros(3),
        champion=torch.ones(3) * done,
        scale={"HM": 2.5},
        metrics={"fitness": {"best": 0.5}},
        positions={"jsonl": 10 * done},
    )


def filled(folder, last=3, keep=2):
    store = CheckpointStore(folder, keep)
    for done in range(1, last + 1):
        store.save(checkpoint(done))
    return store


def test_a_checkpoint_comes_back_as_it_was(tmp_path):
    store = filled(tmp_path)
    found = store.latest(pytest.fail)
    want = checkpoint(3)
    assert found.done == 3
    assert torch.equal(found.optimiser["population"], want.optimiser["population"])
    assert torch.equal(found.champion, want.champion)
    assert (found.settings, found.scale, found.metrics, found.positions) == (
        want.settings, want.scale, want.metrics, want.positions,
    )  # fmt: skip
    assert dumps(loads(dumps(want))) == dumps(want)


def test_only_the_last_ones_are_kept_and_leftovers_removed(tmp_path):
    (tmp_path / ".generation_000002.ckpt.12.tmp").write_bytes(b"half a checkpoint")
    store = filled(tmp_path, last=12, keep=3)
    assert [path.name for path in store.paths()] == [f"generation_{n:06d}.ckpt" for n in (12, 11, 10)]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in store.paths())
    assert CheckpointStore(tmp_path / "new").latest(pytest.fail) is None
    with pytest.raises(UserError, match="keep=1: at least 2"):
        CheckpointStore(tmp_path, 1)


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


DAMAGE = {
    "empty": lambda data: b"",
    "truncated in the head": lambda data: data[:30],
    "truncated": lambda data: data[: len(data) // 2],
    "last byte missing": lambda data: data[:-1],
    "longer": lambda data: data + b"\0",
    "a bit of the payload": lambda data: flipped(data, len(data) - 400),
    "a bit of the checksum": lambda data: flipped(data, 25),
    "something else": lambda data: b"PK\3\4 a zip file",
    "zeros": lambda data: b"\0" * len(data),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_newest_checkpoint_is_passed_over_with_a_notice(tmp_path, damage):
    store = filled(tmp_path)
    newest = store.paths()[0]
    newest.write_bytes(DAMAGE[damage](newest.read_bytes()))
    notices = []
    found = store.latest(notices.append)
    assert found.done == 2
    assert len(notices) == 1
    assert newest.name in notices[0]
    assert notices[0].endswith("using the one before it")
    assert "\n" not in notices[0]


def test_when_all_are_damaged_there_is_nothing_to_resume(tmp_path):
    store = filled(tmp_path)
    for path in store.paths():
        path.write_bytes(path.read_bytes()[:-5])
    notices = []
    with pytest.raises(UserError, match=r"all 2 checkpoints in .* are damaged; start the run anew"):
        store.latest(notices.append)
    assert len(notices) == 2


def test_other_settings_are_refused_by_name():
    saved = checkpoint(1).settings
    refuse_other_settings(saved, dict(saved))
    for change, message in [
        ({"seed": 2}, "cannot resume with seed=2: the run began with seed=1"),
        ({"curriculum.opponents": ["HM"]}, r"curriculum\.opponents=\['HM'\]: the run began with"),
        ({"evolution.fitness.floor": 3.0}, r"floor=3\.0: the run began with evolution\.fitness\.floor=None"),
        ({"new": 1}, r"new=1: the run began with new='\(not set\)'"),
    ]:
        with pytest.raises(UserError, match=message):
            refuse_other_settings(saved, {**saved, **change})
