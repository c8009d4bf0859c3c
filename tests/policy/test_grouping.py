"""Which instances are decoded together."""

import pytest

from hcvrp.policy import grouping


def test_similar_sizes_are_decoded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = [12, 4, 10, 11, 10, 4]
    # 10 is more than a fifth above 4; 11 and 12 are not above 10.
    assert list(grouping.alike(sizes)) == [[1, 5], [2, 4, 3, 0]]
    monkeypatch.setattr(grouping, "MOST_PAIRS", 400)  # 2 · 11² and 2 · 13² are fewer, 3 · 12² more
    assert list(grouping.alike(sizes)) == [[1, 5], [2, 4], [3, 0]]
    assert list(grouping.alike([])) == []
