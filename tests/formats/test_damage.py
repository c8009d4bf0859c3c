"""Damaged files are refused in a sentence, or read, but never end in another exception."""

import json
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hcvrp import InputError, Vehicle
from hcvrp.formats import read, read_instance, read_solution

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "formats.md").read_text("utf-8")
TEXTS = dict(re.findall(r"^```\w+ file=(\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
FILES = sorted(name for name in TEXTS if not name.endswith(".py"))

words = st.sampled_from(
    [
        *("", "0", "-1", "2", "1.5", "1e999", "nan", "9" * 400, "null", "true", "[]", "{}", '"x"'),
        *(
            "\0",
            "\n",
            "\t",
            ":",
            ";",
            ",",
            "-",
            '"',
            "'",
            "é",
            "\ud7ff",
            "EOF",
            "NAME : x",
            "depot",
        ),
    ]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


def try_to_read(path):
    town = read_instance(ROOT / "tests" / "formats" / "town.json")
    with suppress(InputError):
        read(path, fleet=[Vehicle(100)])
    with suppress(InputError):
        read(path)
    with suppress(InputError):
        read_solution(path, town)


@pytest.mark.parametrize("name", FILES)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_words_replaced(tmp_path, name, data):
    parts = re.split(r"(\w+|\s)", TEXTS[name])
    for _ in range(data.draw(st.integers(1, 3))):
        parts[data.draw(st.integers(0, len(parts) - 1))] = data.draw(words)
    path = tmp_path / name
    path.write_text("".join(parts), "utf-8")
    try_to_read(path)


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".json")])
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_json_values_replaced(tmp_path, name, data):
    document = json.loads(TEXTS[name])
    target = document
    while True:
        keys = list(target) if isinstance(target, dict) else list(range(len(target)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(target[key], dict | list) or not target[key] or data.draw(st.booleans()):
            break
        target = target[key]
    target[key] = data.draw(values)
    path = tmp_path / name
    path.write_text(json.dumps(document), "utf-8")
    try_to_read(path)
