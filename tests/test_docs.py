"""What can be typed stands in docs/: a hook, an option or a setting that doesn't fails here."""

import re
from pathlib import Path

import click
import pytest
from registered import CATALOG, METHODS
from settings_docs import replaced, rows, tables

from lieapp.cli.main import COMMANDS, cli
from lieapp.config import CheckConfig, DataConfig, TruthConfig
from lieapp.config_symbolic import ClassifyConfig, HoldsConfig, LawsConfig
from lieapp.registry.catalog import load_catalog
from lieapp.registry.loader import hook_names

DOCS = Path(__file__).parents[1] / "docs"
CONFIGS = (TruthConfig, HoldsConfig, ClassifyConfig, LawsConfig, CheckConfig, DataConfig)
STRUCTS = {
    **{struct.__name__: struct for struct in CONFIGS},
    **CATALOG.all_settings(),
}  # fmt: skip
COMMAND_LINE = (DOCS / "command-line.md").read_text(encoding="utf-8")


def sections(text: str, mark: str) -> dict[str, str]:
    """The text under each heading of one level."""
    parts = re.split(rf"^{mark} (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def options(command: click.Command) -> set[str]:
    found = {opt for p in command.params if isinstance(p, click.Option) for opt in p.opts if opt[:2] == "--"}
    if isinstance(command, click.Group):
        for name in command.commands:
            found |= options(command.commands[name])
    return found


@pytest.mark.parametrize("hook", hook_names())
def test_every_hook_is_described(hook):
    assert hook in sections((DOCS / "hooks.md").read_text(encoding="utf-8"), "##")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_stands_in_its_commands_section(name):
    command = cli.get_command(None, name)
    section = sections(COMMAND_LINE, "##")[f"lieapp {name}"]
    missing = [option for option in options(command) if not re.search(rf"{option}(?![\w-])", section)]
    assert not missing, f"`lieapp {name}`: {missing} not in docs/command-line.md"
    if isinstance(command, click.Group):
        assert all(f"lieapp {name} {sub}" in section for sub in command.commands)


def test_the_docs_know_no_option_that_doesn_t_exist():
    known = {"--help", "--version"}.union(*(options(cli.get_command(None, name)) for name in COMMANDS))
    for page in DOCS.glob("*.md"):
        for line in page.read_text(encoding="utf-8").splitlines():
            line = re.sub(r"torchrun .*? -m lieapp", "lieapp", line)  # what stands between is torchrun's
            if "lieapp" in line or page.name == "command-line.md":
                strange = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", line)) - known
                assert not strange, f"{page.name}: {line}"


def test_the_tables_of_settings_are_those_that_are_registered():
    # `python tests/settings_docs.py docs/command-line.md` writes them
    assert replaced(COMMAND_LINE, tables(CATALOG)) == COMMAND_LINE


@pytest.mark.parametrize("name", STRUCTS)
def test_every_setting_says_what_it_means(name):
    assert f"### {STRUCTS[name].__name__}\n" in COMMAND_LINE
    assert [path for path, _, text in rows(STRUCTS[name]) if not text] == []


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.name)
def test_every_method_is_named_on_the_command_lines_page(method):
    assert f"`{method.name}`" in sections(COMMAND_LINE, "##")["lieapp discover"] and method.title.endswith(".")


def test_the_first_plugin_works_as_it_is_printed(tmp_path, monkeypatch):
    (code,) = re.findall(r"```python\n(.+?)```", (DOCS / "first-plugin.md").read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "gardner.py").write_text(code)
    catalog = load_catalog()
    assert catalog.broken == []
    entry = catalog.get("gardner")
    assert entry.source == "./plugins" and entry.file == Path("plugins/gardner.py")


def test_every_keyword_of_a_declaration_is_explained():
    from dataclasses import fields

    from lieapp.api import PDE, Colors, Images
    from lieapp.functions import Function

    pages = ((PDE, "first-plugin.md"), (Images, "images.md"), (Colors, "colors.md"), (Function, "functions.md"))
    for declaration, page in pages:
        text = (DOCS / page).read_text(encoding="utf-8")
        assert [f.name for f in fields(declaration) if f"| `{f.name}` |" not in text] == []


def test_links_between_pages_lead_somewhere():
    for page in DOCS.glob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (DOCS / target).exists(), f"{page.name} links to {target}"


def test_every_page_is_in_the_navigation_of_the_site():
    site = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")
    assert set(re.findall(r": (\S+\.md)$", site, re.MULTILINE)) == {page.name for page in DOCS.glob("*.md")}
