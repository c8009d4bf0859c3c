"""Figures hold the data they are made of."""

import pytest

from hcvrp.bench import series
from hcvrp.bench.figures import make_figure, save
from hcvrp.bench.results import load
from hcvrp.errors import InputError


@pytest.fixture
def results(make_row, write_results):
    model = '{"samples": 8, "weights": "runs/c40.safetensors"}'
    rows = [
        make_row("fleet 1280", 0, 4.8),
        make_row("sisr", 0, 4.0, seconds=1.0),
        make_row("sisr", 1, 6.0, seconds=3.0),
        make_row("sisr 0.1 s", 0, 4.4, seconds=0.1, settings='{"method": "sisr", "t": 0.1}'),
        make_row("C40", 0, 5.0, seconds=0.01, settings=model, device="cuda"),
        make_row("C40", 0, 9.0, seconds=0.02, settings=model, set_="v3-c60"),
        make_row("sisr", 0, 6.0, seconds=1.0, set_="v3-c60"),
    ]
    return write_results(rows)


def curves(figure, panel=0):
    lines = {line.get_gid(): line for line in figure.axes[panel].lines}
    return {
        name: (list(map(float, line.get_xdata())), list(map(float, line.get_ydata())))
        for name, line in lines.items()
    }


def test_labels_without_a_common_instance_have_no_frontier(make_row, write_results, tmp_path):
    results = write_results([make_row("sisr", 0, 4.0), make_row("savings", 1, 5.0)])
    with pytest.raises(InputError, match="no instance of v3-c40 has answers of all labels"):
        make_figure("frontier", [results], tmp_path)


def test_convergence_is_over_the_instances_that_all_have(results, tmp_path):
    figure = make_figure("convergence-v3", [results], tmp_path)
    assert [a.get_title("left") for a in figure.axes] == [
        "v3-c40, min-max, the 1 instances that all have",
    ]
    assert figure.get_supxlabel() == "Seed 0. Measured on a processor, 2 cores."
    assert curves(figure) == {"sisr": ([0.1, 1.0], [4.4, 4.0]), "fleet": ([0.5], [4.8])}


def test_published_points_are_brought_to_the_subset(make_row, write_results, results, tmp_path):
    place = ("v3-c40", "min-max", [0, 1])
    assert series.published_points(load([results]), *place) == {}
    costs = [4.0 if k < 2 else 2.0 for k in range(1280)]  # 2.003125 on average
    whole = write_results([make_row("vns", k, cost) for k, cost in enumerate(costs)], "whole.csv")
    found = series.published_points(load([results, whole]), *place)
    assert found["SISR"] == (pytest.approx(4.00 * 4.0 / 2.003125), 245)
    figure = make_figure("convergence-v3", [results, whole], tmp_path)
    assert curves(figure)["published SISR"] == ([245.0], [pytest.approx(7.98752, abs=1e-5)])
    said = {text.get_text() for text in figure.axes[0].texts}
    assert said == {f"{m}, published,\nscaled to these 1" for m in ("SISR", "DRL(Sample12800)")}
    assert "published means of 1,280 instances, multiplied by" in figure.get_supxlabel()


def test_published_points_of_the_whole_set_stay_as_they_are(make_row, write_results, tmp_path):
    whole = write_results([make_row("sisr", k, 4.0) for k in range(1280)])
    figure = make_figure("convergence-v3", [whole], tmp_path)
    assert curves(figure)["published SISR"] == ([245.0], [4.0])
    assert "SISR, published" in {text.get_text() for text in figure.axes[0].texts}
    assert figure.get_supxlabel() == "Seed 0. Measured on a processor, 2 cores."


def test_the_frontier_shows_gaps_in_per_cent_and_who_used_a_gpu(results, tmp_path):
    figure = make_figure("frontier", [results], tmp_path)
    found = curves(figure)
    assert [name.get_text() for name in figure.legends[0].get_texts()] == ["sisr"]
    assert "C40" in [text.get_text() for text in figure.axes[0].texts]  # beside its only point
    assert found["sisr"] == ([0.1, 1.0], [pytest.approx(10.0), 0.0])  # the instance that all have
    assert found["c40"] == ([0.01], [25.0])
    assert "gpu C40" in found
    assert "gpu sisr" not in found


def test_generalisation_is_a_curve_per_model_over_the_sizes(results, tmp_path):
    figure = make_figure("generalisation-v3-min-max", [results], tmp_path)
    assert figure.axes[0].get_title("left") == "V3, min-max, 1 instances of each size"
    found = curves(figure)
    assert found == {"C40": ([40, 60], [25.0, 50.0]), "fleet 1280": ([40], [pytest.approx(20.0)])}


def test_training_curves_come_from_the_log(tmp_path):
    log = tmp_path / "my-run" / "log.csv"
    log.parent.mkdir()
    log.write_text("instances,cost,validation\n500000,9,\n1000000,8,7.5\n2000000,7,7.25\n")
    figure = make_figure("training", [log])
    assert figure.axes[0].get_title("left") == "my-run"
    assert curves(figure)["my-run, greedy"] == ([1, 2], [7.5, 7.25])
    log.write_text("epoch,cost\n1,2\n")
    with pytest.raises(InputError, match=r"log\.csv: this is no log of a training run"):
        make_figure("training", [log])
    with pytest.raises(InputError, match=r"none\.csv: the file cannot be read: no such file"):
        make_figure("training", [tmp_path / "none.csv"])


def test_the_svg_names_its_curves_and_is_the_same_twice(results, tmp_path):
    figure = make_figure("frontier", [results], tmp_path)
    svg, png = save(figure, "frontier", tmp_path / "out")
    text = svg.read_text()
    for name in ("sisr", "c40", "gpu C40"):
        assert f'id="{name}"' in text
    assert png.read_bytes().startswith(b"\x89PNG")
    again = make_figure("frontier", [results], tmp_path)
    assert save(again, "again", tmp_path / "out")[0].read_text() == text


def test_nothing_to_draw_gets_a_sentence(results, tmp_path):
    with pytest.raises(InputError, match="unknown figure 'pie'; known: convergence-v3"):
        make_figure("pie", [results])
    with pytest.raises(InputError, match="nothing to draw"):
        make_figure("convergence-v5", [results], tmp_path)
    with pytest.raises(InputError, match="no models on v3 for min-sum"):
        make_figure("generalisation-v3-min-sum", [results], tmp_path)
