"""Settings as frozen dataclasses: every field has a type, a meaning and a range, unknown keys are refused.

`from_mapping(cls, {...})` turns plain nested data (a resolved Hydra config) into such a dataclass; each refusal is one
line that names the key, what came and what is allowed.
"""

import dataclasses
import difflib
import math
import operator
import types
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from ashe.errors import UserError

T = TypeVar("T")


def setting(
    default: Any = dataclasses.MISSING,
    *,
    help: str,
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    choices: Sequence[str] | None = None,
) -> Any:
    """A dataclass field with a meaning and a range; without default the key is required."""
    limits = {"ge": ge, "gt": gt, "le": le, "choices": choices, "help": help}
    if default is not dataclasses.MISSING and getattr(type(default), "__hash__", None) is None:
        return dataclasses.field(default_factory=lambda: type(default)(default), metadata=limits)
    return dataclasses.field(default=default, metadata=limits)


def suggestion(key: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else f"known: {', '.join(sorted(known))}"


def check(instance: Any, path: str = "") -> None:
    """Refuse values outside their field's range (called by a dataclass's `__post_init__` or by `from_mapping`)."""
    for field in dataclasses.fields(instance):
        _check_range(getattr(instance, field.name), field.metadata, f"{path}{field.name}")


def _check_range(value: Any, limits: Mapping[str, Any], key: str) -> None:
    if value is None:
        return
    choices = limits.get("choices")
    if choices and value not in choices:
        raise UserError(f"{key}={value!r} is not known; allowed: {', '.join(choices)}")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    if not math.isfinite(value):
        raise UserError(f"{key}={value} is not a finite number ({limits.get('help')})")
    for name, sign, fine in (("ge", ">=", operator.ge), ("gt", ">", operator.gt), ("le", "<=", operator.le)):
        bound = limits.get(name)
        if bound is not None and not fine(value, bound):
            raise UserError(f"{key}={value} is out of range: it must be {sign} {bound} ({limits.get('help')})")


def from_mapping(cls: type[T], data: Any, path: str = "") -> T:
    """Build `cls` from nested plain data, refusing unknown, missing, mistyped and impossible settings."""
    if not isinstance(data, Mapping):
        raise UserError(f"{path.rstrip('.') or cls.__name__} must be a group of settings, got {data!r}")
    fields = {f.name: f for f in dataclasses.fields(cls)}  # type: ignore[arg-type]
    for key in data:
        if key not in fields:
            raise UserError(f"unknown setting {path}{key}; {suggestion(str(key), list(fields))}")
    hints = get_type_hints(cls)
    values: dict[str, Any] = {}
    for name, field in fields.items():
        if name in data:
            values[name] = _convert(hints[name], data[name], f"{path}{name}")
            _check_range(values[name], field.metadata, f"{path}{name}")
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise UserError(f"setting {path}{name} is missing ({field.metadata.get('help', 'required')})")
    try:
        return cls(**values)
    except UserError as error:
        raise UserError(f"{path.rstrip('.')}: {error}" if path else str(error)) from error


def to_mapping(instance: Any) -> Any:
    """The inverse of `from_mapping`: plain dicts, lists and values."""
    if dataclasses.is_dataclass(instance):
        return {f.name: to_mapping(getattr(instance, f.name)) for f in dataclasses.fields(instance)}
    if isinstance(instance, Mapping):
        return {key: to_mapping(value) for key, value in instance.items()}
    if isinstance(instance, tuple | list):
        return [to_mapping(value) for value in instance]
    return instance


def _convert(hint: Any, value: Any, key: str) -> Any:
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return value
    if origin in (Union, types.UnionType):
        return _convert_union(args, value, key)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return from_mapping(hint, value, f"{key}.")
    if origin is tuple:
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise UserError(f"{key}={value!r} must be a list")
        return tuple(_convert(args[0], item, f"{key}[{i}]") for i, item in enumerate(value))
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise UserError(f"{key}={value!r} must be a mapping such as {{NAME: value}}")
        return {str(k): _convert(args[1], v, f"{key}.{k}") for k, v in value.items()}
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise UserError(f"{key}={value!r} must be {_type_name(hint)}")
    return value


def _convert_union(options: Sequence[Any], value: Any, key: str) -> Any:
    if value is None and type(None) in options:
        return None
    wanted = [option for option in options if option is not type(None)]
    for option in wanted:
        try:
            return _convert(option, value, key)
        except UserError:
            if len(wanted) == 1:
                raise
    names = " or ".join(_type_name(option) for option in options)
    raise UserError(f"{key}={value!r} must be {names}")


def _type_name(hint: Any) -> str:
    names = {int: "a whole number", float: "a number", str: "text", bool: "true or false", type(None): "null"}
    return names.get(hint, str(getattr(hint, "__name__", hint)))
