"""What the README shows works as it is printed."""

import json
import re
import shlex
from pathlib import Path

import pytest

from lieapp.cli.main import cli, run
from lieapp.registry.catalog import load_catalog

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.+?)```", README, re.DOTALL)


def command_lines() -> list[list[str]]:
    """Every `lieapp …` of the shell blocks, split as a shell would."""
    lines = [line for block in blocks("bash") for line in block.splitlines()]
    parts = [shlex.split(part, comments=True) for line in lines for part in line.split("&&")]
    return [words[1:] for words in parts if words and words[0] == "lieapp"]


@pytest.fixture
def folder(tmp_path, monkeypatch, pytestconfig) -> Path:
    """A folder to work in, with the README's plugin."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LIEAPP_PLUGINS", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(pytestconfig.rootpath))
    (code,) = (block for block in blocks("python") if "hookimpl" in block)
    (name,) = re.findall(r"`plugins/(\w+)\.py`", README)
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / f"{name}.py").write_text(code, encoding="utf-8")
    return tmp_path


def test_there_are_command_lines():
    assert ["discover", "--plugin", "ckdv"] in command_lines()


@pytest.mark.parametrize("words", command_lines(), ids=" ".join)
def test_command_lines_can_be_parsed(words):
    name, *rest = words
    group, context = cli, None
    while hasattr(group, "commands") or group is cli:
        group = group.get_command(context, name)
        assert group is not None
        if hasattr(group, "commands"):
            name, *rest = rest
    group.make_context(name, list(rest))


def test_the_python_session_gives_what_its_remarks_say(capsys):
    (code,) = (block for block in blocks("python") if "symmetries(" in block)
    exec(compile(code, "README.md", "exec"), {})
    said = capsys.readouterr().out
    assert "4 point symmetries" in said and "certified to be complete" in said
    assert "u + s" in said or "s + u" in said
    assert "w_zzz" in said


QUICK = ("plugins", "truth", "runs")


@pytest.mark.parametrize("words", [w for w in command_lines() if w[0] in QUICK], ids=" ".join)
def test_quick_commands_run(folder, capsys, words):
    assert run([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)


def test_the_plugin_is_found_and_has_the_symmetries_it_says(folder, capsys):
    catalog = load_catalog()
    assert catalog.broken == [] and catalog.get("mkdv").source == "./plugins"
    assert run(["truth", "--plugin", "mkdv", "--json"]) == 0
    fields = json.loads(capsys.readouterr().out)["periodic"]
    assert fields == [{"t": "1", "x": "0", "u": "0"}, {"t": "0", "x": "1", "u": "0"}]


@pytest.mark.slow
@pytest.mark.parametrize("plugin", ["ckdv", "mkdv"])
def test_discover_finds_the_derived_symmetries(folder, capsys, plugin):
    assert run(["discover", "--plugin", plugin, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["count"] == len(said["truth"]) == 2
    assert min(entry["cosine"] for entry in said["truth"]) >= 0.999
    assert (Path(said["run"]) / "report.html").is_file()


def test_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)#:]+)\)", README)
    assert targets and [target for target in targets if not (ROOT / target).exists()] == []


@pytest.mark.parametrize("start", ["pip install -e . && lieapp discover ", "pip install -e '.[dev]' && pytest"])
def test_the_gate_finds_its_commands_here(start):
    """`.ci/run` takes what it runs from these lines."""
    assert sum(line.startswith(start) for line in README.splitlines()) == 1
