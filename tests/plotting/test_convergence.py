import pytest

import hcvrp
from hcvrp import Improvement, Objective, Result
from hcvrp.plotting import plot_convergence, style

ANSWER = hcvrp.Solution([[[1]]])


def result(costs, seconds, objective=Objective.MIN_MAX, **more):
    history = tuple(Improvement(c, s, 0) for c, s in zip(costs, seconds, strict=True))
    return Result(ANSWER, costs[-1], objective, "x", 10.0, history=history, **more)


def test_steps_run_from_the_history_to_the_end_of_the_run():
    figure = plot_convergence({"search": result([5.0, 4.0], [0.0, 2.0])})
    (axes,) = figure.axes
    (line,) = axes.lines
    assert line.get_xydata().tolist() == [[1e-4, 5], [2, 4], [10, 4]]
    assert line.get_drawstyle() == "steps-post"
    assert axes.get_xscale() == "log"
    assert axes.get_ylabel() == "min-max cost"


def test_each_result_has_its_label_colour_and_bound():
    figure = plot_convergence(
        {"_a $": result([5.0], [1.0], bound=3.5), "b": result([4.0], [1.0])}, title="Race"
    )
    (axes,) = figure.axes
    words = [t.get_text() for t in axes.get_legend().get_texts()]
    assert words == ["5.000  _a $  (bound 3.500)", "4.000  b"]
    assert [line.get_color() for line in axes.lines] == [style.colour(k) for k in (0, 0, 1)]
    assert list(axes.lines[1].get_ydata()) == [3.5, 3.5]
    assert axes.get_title(loc="left") == "Race"


def test_a_result_without_history_is_a_point(tmp_path):
    bare = Result(ANSWER, 6.0, Objective.MIN_SUM, "savings", 0.0)
    plot_convergence({"savings": bare}, tmp_path / "a.svg")
    plot_convergence({"savings": bare}, tmp_path / "a.png")
    assert (tmp_path / "a.svg").stat().st_size > 1000


def test_mixed_objectives_and_no_results_are_refused(tmp_path):
    with pytest.raises(hcvrp.InputError, match="one objective, not no results"):
        plot_convergence({})
    both = {"a": result([1.0], [1.0]), "b": result([1.0], [1.0], Objective.MIN_SUM)}
    with pytest.raises(hcvrp.InputError, match="one objective, not min-max and min-sum"):
        plot_convergence(both)
    with pytest.raises(hcvrp.InputError, match=r"must be \.png or \.svg, not '\.html'"):
        plot_convergence({"a": result([1.0], [1.0])}, tmp_path / "a.html")
