import pytest

import hcvrp


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "plan.json"
    hcvrp.write(path, hcvrp.Solution([[[1, 2]], [[3]]]))
    return path


def test_a_page(run, instance, plan, tmp_path):
    path = tmp_path / "p.html"
    assert run("plot", instance, plan, "-o", path) == (0, "", f"wrote {path}\n")
    assert "near" in path.read_text("utf-8")


@pytest.mark.parametrize("suffix", ["png", "svg", "html"])
@pytest.mark.parametrize("source", ["line.json", "nowhere.json"])
def test_a_folder_that_is_not_there_is_named_before_the_work(run, plan, instance, source, suffix):
    """Before anything is read, too: `solve` says the same."""
    path = instance.parent / "no" / f"p.{suffix}"
    told = f"hcvrp: {path}: the file cannot be written: there is no folder {path.parent}\n"
    assert run("plot", instance.parent / source, plan, "-o", path) == (2, "", told)
    assert not path.parent.exists()


def test_solve_says_the_same(run, instance, plan):
    path = instance.parent / "no" / "p.png"
    assert run("solve", instance, "--plot", path) == run("plot", instance, plan, "-o", path)


def test_another_suffix_is_refused_before_the_work(run, plan, tmp_path):
    told = (
        f"hcvrp: {tmp_path / 'p.pdf'}: a picture's suffix must be .png, .svg or .html, not '.pdf'\n"
    )
    assert run("plot", "nowhere.json", plan, "-o", tmp_path / "p.pdf") == (2, "", told)
