"""Documents with one thing wrong."""

import json

import pytest


@pytest.fixture
def changed():
    """A JSON document with the value at a place replaced, added or, with `...`, removed."""

    def change(document, place, value):
        document = json.loads(json.dumps(document))  # no two places share a value
        *path, last = place
        target = document
        for key in path:
            target = target[key]
        if value is ...:
            del target[last]
        else:
            target[last] = value
        return document

    return change
