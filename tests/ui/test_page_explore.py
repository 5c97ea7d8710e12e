"""Explore: equations typed or of plugins, read while one types, derived by a run; every state of that run."""

import json
import shutil

import msgspec
import pytest
from truth_results import truth_result

from lieapp.document import Formula
from lieapp.results.truth import Explanation, FlowResult, LeviResult, StepResult, StructureResult
from lieapp.runs.store.directory import RunDirectory
from lieapp.ui import jobs
from lieapp.ui.reader import Typed, joined, read, split, typed_of
from lieapp.ui.typed_form import EXAMPLES

HEAT = {"equation": ["u_t - u_xx"], "independent": ["t", "x"], "dependent": ["u"], "periodic": ["x"]}
TRUTH = truth_result()


def press(app, label):
    return next(b for b in app.button if b.label == label).click().run()


def labels(app) -> list[str]:
    return [b.label for b in app.button]


def shown(app) -> str:
    return "\n".join(str(element.value) for element in app.markdown)


def test_the_first_form_has_an_equation_and_its_formula(open_page, words):
    app = open_page("explore")
    assert r"$\displaystyle u_{t} + u u_{x} + u_{xxx} = 0$" in shown(app)
    assert "lieapp truth --equation 'u_t + u*u_x + u_xxx' --independent t,x --dependent u" in words(app)
    assert not app.error


def test_an_error_stands_under_its_column(open_page, words):
    app = open_page("explore")
    app.text_input(key="typed_equation0_").set_value("u_t + w*u_x").run()
    assert "column 7: 'w' is not declared" in app.error[0].value.replace("\\", "")
    assert app.code[0].value == "u_t + w*u_x\n      ^"
    assert next(b for b in app.button if b.label == "Derive").disabled
    app.text_input(key="typed_parameter_").set_value("w").run()
    assert not app.error and "u_{x} w" in shown(app)


def test_what_was_typed_is_there_after_a_look_at_another_page(open_page):
    app = press(open_page("explore"), "Add equation")
    app.text_input(key="typed_equation0_").set_value("u_t - v").run()
    app.text_input(key="typed_dependent_").set_value("u, v").run()
    app.switch_page("lieapp/ui/pages/help.py").run()
    app.switch_page("lieapp/ui/pages/explore.py").run()
    assert app.text_input(key="typed_equation0_").value == "u_t - v"
    assert app.text_input(key="typed_dependent_").value == "u, v" and "Remove equation" in labels(app)


def test_of_several_equations_the_wrong_one_is_named(open_page, words):
    app = press(open_page("explore"), "Add equation")
    app.text_input(key="typed_dependent_").set_value("u, v").run()
    app.text_input(key="typed_equation1_").set_value("v_t = u_x + ").run()
    assert app.error[0].value.startswith("Equation 2, ")
    assert "Remove equation" in labels(app)


def test_an_example_fills_the_form(open_page):
    app = open_page("explore")
    app.selectbox(key="typed_example_").set_value("Cubic Schrödinger, two unknowns").run()
    assert app.text_input(key="typed_dependent_").value == "v, w"
    assert app.text_input(key="typed_equation1_").value.startswith("w_t - v_xx")
    assert not app.error


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_can_be_read(name):
    assert read(EXAMPLES[name]).error is None


def test_derive_starts_a_run_with_exactly_what_was_typed(open_page, runs, monkeypatch, words):
    started = []
    monkeypatch.setattr(jobs, "start_now", lambda root, run_id: started.append(run_id))
    app = press(open_page("explore"), "Derive")
    (run,) = RunDirectory.list(runs)
    config = run.config()
    assert started == [run.id] and config["kind"] == "truth" and config["plugin"] is None
    assert (config["equation"], config["periodic"]) == (["u_t + u*u_x + u_xxx"], ["x"])
    assert (config["flows"], config["reductions"], config["explain"], config["budget"]) == (True, True, True, 60.0)
    assert app.query_params["run"] in (run.id, [run.id]) and "Queued for" in words(app)


def test_a_plugin_is_derived_by_its_name(open_page, plugins, runs):
    app = press(open_page("explore", plugin="warm"), "Derive")
    (run,) = RunDirectory.list(runs)
    assert run.config()["plugin"] == "warm" and run.config()["equation"] == []
    assert run.provenance()["plugin"]["name"] == "warm" and "-warm-" in run.id
    assert not app.exception


def test_plugins_that_are_broken_or_no_equations(open_page, plugins, words):
    (plugins / "broken.py").write_text("x = = 2\n", encoding="utf-8")
    text = words(open_page("explore", plugin="images"))
    assert "broken.py" in text and "images isn't an equation" in text


def test_more_than_two_at_once_take_turns(open_page, make_background, monkeypatch):
    calls = []
    monkeypatch.setattr(jobs, "start_now", lambda root, run_id: calls.append("now"))
    monkeypatch.setattr(jobs, "ensure_runner", lambda root: calls.append("queue"))
    make_background("truth", "running", typed=HEAT)
    press(open_page("explore"), "Derive")
    make_background("check", "running")
    press(open_page("explore"), "Derive")
    assert calls == ["now", "queue"]


def test_while_it_is_derived(open_page, make_background, words):
    run = make_background("truth", "running", typed=HEAT, stage="basis and proofs")
    app = open_page("explore", run=run.id)
    assert "basis and proofs" in str(app.get("progress")[0].proto)
    assert app.text_input(key=f"typed_equation0_{run.id}").value == "u_t - u_xx"
    app = press(app, "Cancel")
    assert run.cancel_requested and "Asked to stop." in words(app)


def test_done(open_page, make_background, words):
    run = make_background("truth", "done", typed=HEAT, summary=TRUTH)
    app = open_page("explore", run=run.id)
    text = words(app)
    assert "dimension 2 modulo the families" in text and "Kept by a domain periodic in x" in text
    assert r"| $V_{1}$ | $2 t\,\partial_{t} + x\,\partial_{x}$ |" in shown(app)
    # a generator keeps its name on the periodic domain; a combination gets one of its own
    assert r"| $V_{2}$ | $\partial_{x}$ |" in shown(app) and r"| $W_{1}$ |" in shown(app)
    assert r"$\alpha_{t} - \alpha_{xx} = 0$" in shown(app) and "assumed not to vanish" in text
    assert "Not computed" in text
    assert len(app.get("download_button")) == 1


def test_a_plugin_s_address_opens_its_last_derivation(open_page, make_background, words):
    run = make_background("truth", "done", summary=TRUTH)
    assert "dimension 2" in words(open_page("explore", plugin="warm"))
    file = run.provenance()["plugin"]["file"]
    with open(file, "a", encoding="utf-8") as stream:
        stream.write("\n")
    assert "dimension 2" not in words(open_page("explore", plugin="warm"))


def test_another_equation_does_not_keep_the_result_below_it(open_page, make_background, words):
    run = make_background("truth", "done", summary=TRUTH)
    app = open_page("explore", plugin="warm")
    app.segmented_control(key=f"source_{run.id}").set_value("Typed").run()
    assert "dimension 2" not in words(app)
    app.segmented_control(key=f"source_{run.id}").set_value("A plugin").run()
    assert "dimension 2" in words(app)
    app.selectbox(key=f"plugin_{run.id}").set_value("kdv").run()
    assert "dimension 2" not in words(app) and not app.exception


@pytest.mark.parametrize(
    ("state", "said"),
    [("failed", "column 3: it broke"), ("cancelled", "Cancelled on request"), ("lost", "died without an error")],
)
def test_without_a_result(open_page, make_background, words, state, said):
    error = {"type": "ParseError", "message": "column 3: it broke\n  u_q\n    ^", "hint": "Mend it."}
    run = make_background("truth", state, typed=HEAT, error=error)
    app = open_page("explore", run=run.id)
    assert said in words(app) and "Derive" in labels(app)
    if state == "failed":
        assert "u_q\n  ^" in [code.value for code in app.code] and "Mend it." in words(app)


def test_a_result_that_cannot_be_read(open_page, make_background, words):
    run = make_background("truth", "done", typed=HEAT)
    (run.path / "summary.json").write_text("{", encoding="utf-8")
    assert "its result can't be read" in words(open_page("explore", run=run.id))


def test_a_run_of_another_kind(open_page, make_run, words):
    assert "isn't a derivation" in words(open_page("explore", run=make_run("done").name))


@pytest.mark.parametrize("run_id", ["nothing", "../../etc", "x" * 500], ids=range(3))
def test_an_id_that_leads_nowhere(open_page, make_background, words, run_id):
    make_background("truth", "done", typed=HEAT, summary=TRUTH)
    assert "There is no run" in words(open_page("explore", run=run_id))


def test_deleted_under_the_page(open_page, make_background, words):
    run = make_background("truth", "running", typed=HEAT)
    app = open_page("explore", run=run.id)
    shutil.rmtree(run.path)
    app.run()
    assert not app.exception and "There is no run" in words(app)


def test_formulas_of_another_hand_stay_formulas(open_page, make_background):
    evil = "x$ ![a](http://h/p.png) $"
    formula = Formula("", evil)
    step = StepResult(rule=evil, text="", latex=evil, new=[evil], parts=[formula], new_shown=[formula])
    explained = Explanation(
        equations=[formula], jets=[evil], evolution=[], no_evolution="![b](http://h)", leading=[formula],
        components={"xi^t": ["t"]}, determining=[formula], steps=[step], solution={"t": formula}, conditions=[],
        moved={}, jets_shown=[formula], components_shown=[formula], solution_shown=[formula],
    )  # fmt: skip
    flows = [
        FlowResult(flow={"t": evil}, domain=[evil], reason="", flow_shown=[formula], domain_shown=[formula]),
        FlowResult(flow=None, domain=[], reason=evil),
    ]
    truth = truth_result(
        explain=explained, parameter="s", flows=flows, unsolved=[evil], equation_shown=[formula], sentence=evil,
        generators_shown=[formula, formula], assumed_nonzero_shown=[formula],
        structure=StructureResult(
            brackets=[(0, 1, [evil, 0])], closed=True, killing=[[0]], center=[[evil, 0]], brackets_shown=[formula],
            opposite_shown=[formula], center_shown=[formula],
            levi=LeviResult(factor=[[1, 0]], radical=[], type=evil),
        ),
    )  # fmt: skip
    run = make_background("truth", "done", typed=HEAT, summary=truth)
    app = open_page("explore", run=run.id)
    assert len(app.get("expander")) >= 3
    for element in (*app.markdown, *app.caption, *app.success, *app.warning):
        outside = "".join(str(element.value).replace(r"\$", "").split("$")[::2])
        assert "![" not in outside and "](http" not in outside, element.value


def test_moved_parameters_and_what_outputs_determine_are_shown(open_page, make_background):
    from lieapp.api import symmetries
    from lieapp.lie.parameters.told import told_moving

    found = symmetries("x_t - r*x*(1 - x/K)", "t", "x", ["r", "K", "c"], outputs="c*x")
    summary = truth_result(moving=told_moving(found.moving, found.identified))
    text = shown(open_page("explore", run=make_background("truth", "done", typed=HEAT, summary=summary).id))
    assert "no scaling changes" in text and "These keep the time and the outputs" in text
    assert r"$K c$" in text and r"$H_{1}$" in text and "| yes |" in text


def test_brackets_stand_in_a_table(open_page, make_background):
    sums = {"brackets_shown": [Formula("2 V2", r"2\,V_{2}")], "opposite_shown": [Formula("-2 V2", r"-2\,V_{2}")]}
    structure = StructureResult(brackets=[(0, 1, [0, 2])], closed=True, **sums)
    run = make_background("truth", "done", typed=HEAT, summary=truth_result(structure=structure))
    text = shown(open_page("explore", run=run.id))
    assert r"| $V_{1}$ | $\cdot$ | $2\,V_{2}$ |" in text and r"| $V_{2}$ | $-2\,V_{2}$ | $\cdot$ |" in text


@pytest.mark.parametrize(
    "changes",
    [
        {"generators": [1]},
        {"generators": 7},
        {"structure": {"brackets": 5}},
        {"flows": [{}], "reductions": [None]},
        {"explain": {"steps": []}},
        {"families": [{"functions": [1]}]},
    ],
    ids=range(6),
)
def test_a_result_of_another_form_is_told(open_page, make_background, words, changes):
    told = {**msgspec.to_builtins(TRUTH), **changes}
    run = make_background("truth", "done", typed=HEAT, summary=told)
    app = open_page("explore", run=run.id)
    assert "can't be read" in words(app) and app.get("download_button")


def test_what_was_typed_survives_config_json():
    parameters = ("g:positive, g != 3", "nu")
    typed = Typed(("u_t = k*u_xx",), ("t", "x"), ("u",), parameters, ("k:u",), ("x",), ("g", "nu"), ("g*u", "u"))
    config = json.loads(json.dumps(typed.settings()))
    assert typed_of(config) == typed
    assert all(split(name, joined(name, entries)) == tuple(entries) for name, entries in config.items())


def test_of_a_strange_config_only_texts_are_taken():
    assert typed_of({"equation": ["u", 3, None], "independent": "t", "plugin": 7}) == Typed(("u",))


@pytest.mark.parametrize(
    "changes",
    [
        {"equation": ()},
        {"independent": ()},
        {"dependent": ()},
        {"periodic": ("y",)},
        {"equation": ("__import__('os').system('x')",)},
        {"equation": ("u_t + " + "(" * 300 + "u" + ")" * 300,)},
        {"equation": ("u**99999999*u_t",)},
        {"equation": ("u_t + 9**9**9**9*u",)},
        {"equation": ("u_t" + " + u_x" * 900,)},
        {"function": ("k:",)},
        {"parameter": (":",)},
        {"moving": ("k",)},
        {"output": ("u",)},
        {"output": ("c*u",)},
    ],
    ids=range(14),
)
def test_nothing_typed_raises_or_takes_long(changes):
    import time

    values = {"equation": ("u_t - u_xx",), "independent": ("t", "x"), "dependent": ("u",)}
    begun = time.perf_counter()
    reading = read(Typed(**{**values, **changes}))
    assert reading.error is not None and reading.error.message and not reading.latex
    assert time.perf_counter() - begun < 5


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("x: 2*t, u: a*x*u", "a symmetry for a = -1"), ("u: f(t)*x**2 + g(t)", "f(t) = c1"),
        ("t*d_x + d_u", "no symmetry"), ("y: 1", "component of y"), ("x: f()", "function of nothing"),
    ],
)  # fmt: skip
def test_a_field_is_tested_below_the_result(open_page, make_background, words, field, said):
    run = make_background("truth", "done", typed=HEAT, summary=TRUTH)
    app = open_page("explore", run=run.id)
    app.text_input(key=f"field_{run.id}").set_value(field).run()
    assert not app.exception and said in words(app).replace("\\", "")


def test_a_field_on_a_plugins_equation(open_page, make_background, words):
    run = make_background("truth", "done", summary=TRUTH)
    app = open_page("explore", run=run.id)
    app.text_input(key=f"field_{run.id}").set_value("d_t").run()
    assert not app.exception and "a symmetry" in words(app)
