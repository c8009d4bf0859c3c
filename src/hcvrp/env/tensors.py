"""Frozen records of tensors: one function applied to every tensor of a dataclass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import torch
from torch import Tensor

R = TypeVar("R")


def mapped(record: R, function: Callable[[Tensor], Tensor]) -> R:
    """The same record with `function` applied to each tensor, nested records included."""

    def apply(value: Any) -> Any:
        if isinstance(value, Tensor):
            return function(value)
        return mapped(value, function) if is_dataclass(value) else value

    if isinstance(record, Tensor):
        return function(record)  # type: ignore[return-value]
    changes = {f.name: apply(getattr(record, f.name)) for f in fields(record)}  # type: ignore[arg-type]
    return replace(record, **changes)  # type: ignore[type-var]


def joined(first: R, second: R) -> R:
    """Two records of one type as one, tensor after tensor along the first axis."""
    return stacked([first, second])


def stacked(records: Sequence[R]) -> R:
    """Records of one type as one, tensor after tensor along the first axis."""
    rows = zip(*(tensors(record) for record in records), strict=True)
    return mapped(records[0], lambda _: torch.cat(next(rows)))


def tensors(record: Any) -> Iterator[Tensor]:
    """Every tensor of the record, in the order of its fields."""
    if isinstance(record, Tensor):
        yield record
    elif is_dataclass(record):
        for field in fields(record):
            yield from tensors(getattr(record, field.name))


def constants(record: Any) -> Iterator[Any]:
    """Every value of the record that is no tensor, in the order of its fields."""
    if is_dataclass(record):
        for field in fields(record):
            yield from constants(getattr(record, field.name))
    elif not isinstance(record, Tensor):
        yield record
