"""From `conf/` and the command line to settings: Hydra composes, errors become one clear line.

A new run composes `conf/config.yaml` with the overrides. A resumed run starts from the `config.yaml` in its folder;
overrides change that (`workers=ray` loads the group's file, `logging.console=false` a single value).
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ashe
from ashe.errors import UserError
from ashe.evolution.checkpoint import flatten
from ashe.evolution.config import WITHOUT_EFFECT, TrainConfig
from ashe.evolution.settings import from_mapping, suggestion


def default_config_dir() -> Path:
    """The repository's `conf`, found from the package (an installation without it names it by --config-dir)."""
    return Path(ashe.__file__).resolve().parents[2] / "conf"


def check_config_dir(folder: Path) -> Path:
    if not (folder / "config.yaml").is_file():
        raise UserError(f"no configuration in {folder} (config.yaml is missing); name the folder by --config-dir DIR")
    return folder.resolve()


def compose(folder: Path, overrides: Sequence[str]) -> dict[str, Any]:
    """The resolved configuration as plain data."""
    from hydra import compose as hydra_compose
    from hydra import initialize_config_dir
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        with initialize_config_dir(str(check_config_dir(folder)), version_base="1.3", job_name="train"):
            composed = hydra_compose("config", list(overrides))
            data = OmegaConf.to_container(composed, resolve=True)
    except (HydraException, OmegaConfBaseException) as error:
        raise UserError(_explain(str(error), folder, overrides)) from error
    assert isinstance(data, dict)
    return {str(key): value for key, value in data.items()}


def _explain(message: str, folder: Path, overrides: Sequence[str]) -> str:
    unknown = re.search(r"Could not override '([^']+)'", message)
    if unknown and overrides:
        key = unknown[1]
        known = [*flatten(compose(folder, [])), *groups(folder)]
        return f"unknown setting {key}; {suggestion(key, known)}"
    missing = re.search(r"Could not find '([^']+)/([^'/]+)'", message)
    if missing:
        group, option = missing[1].split("/")[-1], missing[2]
        return f"there is no {group} {option!r}; {suggestion(option, options(folder, group))}"
    return " ".join(message.split())


def groups(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.is_dir())


def options(folder: Path, group: str) -> list[str]:
    return sorted(path.stem for path in (folder / group).glob("*.yaml"))


def load_run(run_dir: Path, folder: Path, overrides: Sequence[str]) -> dict[str, Any]:
    """The configuration a run began with, with changes from the command line."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    path = run_dir / "config.yaml"
    if not path.is_file():
        raise UserError(f"resume={run_dir}: there is no run in that folder ({path.name} is missing)")
    try:
        config = OmegaConf.load(path)
        for override in OverridesParser.create().parse_overrides(list(overrides)):
            key = override.key_or_group.lstrip("+")
            value = override.value()
            if key in groups(folder):
                if key not in WITHOUT_EFFECT:
                    raise UserError(f"a resumed run keeps its {key}; leave {key}=... away or start a new run")
                if value not in options(folder, key):
                    raise UserError(f"there is no {key} {value!r}; {suggestion(str(value), options(folder, key))}")
                OmegaConf.update(config, key, OmegaConf.load(folder / key / f"{value}.yaml"), merge=False)
            else:
                OmegaConf.update(config, key, value)
        data = OmegaConf.to_container(config, resolve=True)
    except (HydraException, OmegaConfBaseException, OSError) as error:
        raise UserError(" ".join(str(error).split())) from error
    assert isinstance(data, dict)
    return {str(key): value for key, value in data.items()}


def settings_of(data: dict[str, Any]) -> TrainConfig:
    return from_mapping(TrainConfig, data)


def as_yaml(data: Any) -> str:
    from omegaconf import OmegaConf

    return OmegaConf.to_yaml(OmegaConf.create(data))
