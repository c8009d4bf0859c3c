"""The start of the command line, against that of a bare interpreter."""

import subprocess
import sys

import pytest

COMMANDS = {
    "help": "from hcvrp.cli import main; main(['--help'])",
    "solve": (
        "from hcvrp.cli import main;"
        "main(['solve', 'examples/city.json', '--iterations', '1', '--json'])"
    ),
}


def start(script):
    subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("command", COMMANDS)
def test_start_up(ratio, command):
    ratio(lambda: start(COMMANDS[command]), lambda: start("pass"))
