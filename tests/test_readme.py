"""The README's Python runs as it stands."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_python_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code[1], "README.md", "exec"), names)
    assert names["better"].solution.violations(names["own"]) == []
    assert (tmp_path / "routes.html").stat().st_size > 1000


def test_every_linked_page_exists():
    for link in re.findall(r"\]\(([^)#]+)\)", (ROOT / "README.md").read_text("utf-8")):
        if not link.startswith("http"):
            assert (ROOT / link).exists(), link
