"""The app in a real browser, from a link to a shared link, with a run that is really made."""

import importlib.util
import json
import re
import time

import pytest

pytest.importorskip("selenium", reason="selenium drives the browser; pip install -e '.[dev]'")

from pathlib import Path

_spec = importlib.util.spec_from_file_location("browser", Path(__file__).with_name("browser.py"))
web = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(web)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not (web.CHROMIUM and web.DRIVER), reason="no chromium with chromedriver here: apt install chromium-driver"
    ),
]

FAST = "samples=6&held_out=3&projection.steps=900&flow.epochs=0&slots=3&cross_check=false"
"""A minute on one core: long enough for all that is done meanwhile."""


def runs(folder):
    return sorted(run for run in (folder / "runs").glob("2*") if run.is_dir())


def state(run):
    return json.loads((run / "status.json").read_text(encoding="utf-8"))["state"]


def test_no_page_asks_another_machine(tmp_path):
    with web.served(tmp_path) as address, web.browser(tmp_path) as app:
        for page in ("", "explore", "discover", "run", "runs", "compare", "plugins", "help"):
            app.open(f"{address}/{page}")
            app.find("[data-testid='stMain'] h1")
            time.sleep(2)
            assert app.requests_elsewhere() == set(), page


def test_back_leads_to_the_form_as_it_was(tmp_path):
    with web.served(tmp_path) as address, web.browser(tmp_path) as app:
        app.open(f"{address}/discover?plugin=ckdv&seed=7&slots=6")
        app.sees("--seed 7 --slots 6")
        app.find("a[href$='/runs']").click()
        app.sees("No runs yet")
        app.back()
        app.sees("--seed 7 --slots 6")


def test_the_address_is_that_of_a_link_to_the_same_page(tmp_path):
    with web.served(tmp_path) as address, web.browser(tmp_path) as app:
        app.open(f"{address}/discover")
        web.wait(lambda: "plugin=ckdv" in app.address, 60, "the address of the form")
        app.follow("Run a grid of settings")
        app.sees("Sweep file")
        web.wait(lambda: app.address.endswith("/discover?source=grid"), 20, "the address")
        # another run of the page shows the same form
        app.find("textarea").send_keys("\n", web.CONTROL, web.ENTER)
        time.sleep(2)
        assert "Sweep file" in app.text
        app.back()
        app.sees("Run a grid of settings", 20)


@pytest.fixture
def stopped(tmp_path):
    """Whatever still works or waits at the end is asked to stop."""
    yield
    for run in runs(tmp_path):
        (run / "cancel").touch()


@pytest.mark.usefixtures("stopped")
def test_from_a_link_to_a_shared_link(tmp_path):
    port = web.free_port()
    with web.browser(tmp_path) as me, web.browser(tmp_path) as other:
        with web.served(tmp_path, port) as home:
            # the link opens the form as it stands, and the run is that of the form
            me.open(f"{home}/discover?plugin=ckdv&{FAST}")
            me.sees("lieapp discover --plugin ckdv --slots 3")
            me.click("Start")
            me.sees("since the start")
            first = runs(tmp_path)[0]
            web.wait(lambda: first.name in me.address, 20, "the run in the address")
            config = json.loads((first / "config.json").read_text(encoding="utf-8"))
            assert (config["samples"], config["projection"]["steps"], config["cross_check"]) == (6, 900, False)

            # another session meanwhile asks for a second run, which waits, and stops it
            other.open(f"{home}/discover?plugin=ckdv&{FAST}&seed=1")
            other.sees("--seed 1")
            other.click("Start")
            other.sees("Queued for")
            second = runs(tmp_path)[-1]
            assert state(second) == "queued"
            other.click("Cancel")
            other.sees("This run was cancelled")
            assert state(second) == "cancelled"
            assert state(first) in ("starting", "running")

        # the app is started anew and the page reloaded: the run went on, and the page shows it to its end
        with web.served(tmp_path, port):
            me.reload()
            me.sees("since the start")
            assert state(first) in ("starting", "running")
            me.sees("Current fields")
            me.sees("Learned slots", 900)
            assert state(first) == "done"
            _read(me, first, tmp_path)


def _read(me, first, tmp_path):
    """A finished run: slider, download, and the link to what is seen."""
    # the slider, by keyboard
    me.click("Slots")
    me.sees("Flow parameter s")
    before = me.colours_of(1)
    began = time.perf_counter()
    me.press('[data-testid="stSlider"] input', web.RIGHT)
    web.wait(lambda: me.colours_of(1) != before, 20, "the moved solution")
    took = time.perf_counter() - began
    me.sees("Defect at s = 0.4")
    print(f"slider: {took:.2f} s")
    web.wait(lambda: "s=0.4" in me.address and "view=Slots" in me.address, 10, "slot and s in the address")

    # download
    me.click("JSON")
    name = tmp_path / f"lieapp-{first.name.partition('-')[2]}-summary.json"
    web.wait(name.exists, 20, "the download")
    assert json.loads(name.read_text(encoding="utf-8")) == json.loads((first / "summary.json").read_text())

    # the link to this view, in a fresh session
    me.click("Link to this view")
    shown = web.wait(lambda: re.search(r"http://localhost:\d+/\S*run=\S+", me.text), 20, "the link")
    with web.browser(tmp_path) as fresh:
        fresh.open(shown.group())
        fresh.sees("Defect at s = 0.4")
        assert fresh.find('[data-testid="stSlider"] input').get_attribute("aria-valuetext") == "0.4"
        assert fresh.find('[role="tab"][aria-selected="true"]').text == "Slots"

        # a run deleted under the page
        for file in sorted(first.rglob("*"), reverse=True):
            file.rmdir() if file.is_dir() else file.unlink()
        first.rmdir()
        fresh.reload()
        fresh.sees("There is no run")
