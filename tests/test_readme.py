"""The README and the first steps hold as they stand."""

import re
from pathlib import Path

from hcvrp import formats

ROOT = Path(__file__).parent.parent


def blocks(page, language):
    text = (ROOT / page).read_text("utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_the_python_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = "\n".join(blocks("README.md", "python"))
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert names["better"].solution.violations(names["own"]) == []
    assert (tmp_path / "routes.html").stat().st_size > 1000


def test_the_first_spreadsheets_are_read(tmp_path):
    stops, vans = blocks("docs/getting-started.md", "csv")
    (tmp_path / "stops.csv").write_text(stops, "utf-8")
    (tmp_path / "vans.csv").write_text(vans, "utf-8")
    fleet = formats.parse_fleet(str(tmp_path / "vans.csv"))
    assert [(v.capacity, v.speed) for v in fleet] == [(120, 14), (1500, 28.5), (1500, 28.5)]
    assert [(v.capacity, v.speed) for v in formats.parse_fleet("120@14,1500@28.5x2")] == [
        (v.capacity, v.speed) for v in fleet
    ]
    instance = formats.read_instance(tmp_path / "stops.csv", fleet=fleet)
    assert instance.customer_names == ("Bäckerei Nord", "Großküche")
    assert instance.demands.tolist() == [60, 1200]
    assert instance.coordinates[0].tolist() == [48.1285, 11.5905]


def test_its_results_are_those_of_the_page_of_results():
    readme, results = ((ROOT / p).read_text("utf-8") for p in ("README.md", "docs/results.md"))
    headline = re.compile(r"<!-- headline -->\n\n.+<!-- /headline -->", re.DOTALL)
    assert headline.search(readme)[0] == headline.search(results)[0]
    pictures = re.findall(r"!\[[^\]]*\]\(docs/(results/[^)]+)\)", readme)
    assert len(pictures) == 2
    for picture in pictures:
        assert f"]({picture})" in results


def test_every_linked_page_exists():
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", (ROOT / "README.md").read_text("utf-8")):
        if not link.startswith("http"):
            assert (ROOT / link).exists(), link
