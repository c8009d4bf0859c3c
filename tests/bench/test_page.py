"""The page of results: what there is with its commands, and which plans are missing."""

import pytest

from hcvrp.bench.page import page
from hcvrp.errors import InputError


def test_the_page_shows_tables_and_pictures_with_their_commands(make_row, write_results, tmp_path):
    rows = [make_row("sisr", 0, 4.0), make_row("vns", 0, 4.4), make_row("vns", 1, 6.0)]
    results = write_results(rows, "table-v3.csv")
    log = tmp_path / "run.csv"
    log.write_text("instances,cost,validation\n1000000,8,7.5\n")
    path = page([results], tmp_path / "docs", tmp_path / "best", [log])
    text = path.read_text()
    assert f"    hcvrp bench run experiments/bench/table-v3.toml --out {results}\n" in text
    assert f"    hcvrp bench table v3 {results}\n" in text
    assert "| vns | 5.200 (+10.00 %, 0.5 s, n=2, A) |" in text
    assert "![frontier](results/frontier.svg)" in text
    assert "![training](results/training.svg)" in text
    assert (path.parent / "results" / "frontier.svg").exists()
    assert (path.parent / "results" / "v3.csv").exists()


def test_what_is_missing_says_how_to_measure_it(make_row, write_results, tmp_path):
    results = write_results([make_row("sisr", 0, 4.0)], "table-v3.csv")
    text = page([results], tmp_path / "docs", tmp_path / "best", []).read_text()
    missing = text.partition("## Fleet size and mix")[2].partition("##")[0]
    assert missing.strip().splitlines() == [
        "Not measured yet; these will do it:",
        "",
        "    hcvrp bench run experiments/bench/fsmd.toml --out bench/results/fsmd.csv.gz",
    ]


def test_the_readme_shows_the_headline_of_the_page(make_row, write_results, tmp_path):
    rows = [make_row("auto 0.1 s", k, 3.9) for k in range(1280)]
    results = write_results(rows, "table-v3.csv.gz")
    readme = tmp_path / "README.md"
    readme.write_text("# us\n\n<!-- headline -->\nold\n<!-- /headline -->\n\nmore\n")
    text = page([results], tmp_path / "docs", tmp_path / "best", [], readme).read_text()
    shown = readme.read_text()
    assert shown.startswith("# us\n\n<!-- headline -->\n\nMean cost")
    assert shown.endswith("<!-- /headline -->\n\nmore\n")
    row = "| V3-C40 min-max | – | 4.00 in 245 s | 4.14 in 1.64 s | 3.90 (-2.50 %) |"
    assert row in shown.splitlines()
    assert row in text.splitlines()
    readme.write_text("# us")
    with pytest.raises(InputError, match=r"README\.md: the page has no <!-- headline -->"):
        page([results], tmp_path / "docs", tmp_path / "best", [], readme)
