"""Which instances of a batch are decoded together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

SIMILAR = 1.2
"""Sizes by so much apart go together: the temperature and the number of samples go by the size."""
MOST_PAIRS = 2**28
"""Pairs of nodes in the instances that are decoded together."""


def alike(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Numbers of instances of similar sizes, small ones first, as many as memory allows."""
    group: list[int] = []
    for number in sorted(range(len(sizes)), key=sizes.__getitem__):
        size = sizes[number]
        if group and (
            size > SIMILAR * sizes[group[0]] or (len(group) + 1) * (size + 1) ** 2 > MOST_PAIRS
        ):
            yield group
            group = []
        group.append(number)
    if group:
        yield group
