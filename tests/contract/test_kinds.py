"""The contract of `extension.Kind`, for every kind that is registered, lieapp's own and those of plugins."""

import importlib

import msgspec
import pytest
from registered import CATALOG

from lieapp.settings import load_config, sections

KINDS = {name: known.item for name, known in CATALOG.kinds.items()}
WORKS = {f"{name} {work.command}": work for name, kind in KINDS.items() for work in kind.works}


def test_every_domain_has_a_kind_and_every_kind_a_domain():
    assert {entry.kind.name for entry in CATALOG.entries} == set(KINDS)
    for entry in CATALOG.entries:
        assert isinstance(entry.declaration, entry.kind.declaration) and entry.works()
        shown = entry.kind.shown(entry.declaration)
        assert shown or not entry.kind.derivable


@pytest.mark.parametrize("name", KINDS)
def test_it_is_told_in_words(name):
    kind = KINDS[name]
    assert kind.name == name and len(kind.words) == 2 and all(kind.words)
    assert len({work.command for work in kind.works}) == len(kind.works)


@pytest.mark.parametrize("name", WORKS)
def test_settings_are_those_of_the_command_and_of_no_other(name):
    work = WORKS[name]
    cls = CATALOG.settings(work)
    config = load_config(cls, plugin="any")
    assert config.kind == work.command and getattr(config, "domain", None) == work.domain
    document = msgspec.json.decode(msgspec.json.encode(config))
    # a run is known again by its config.json
    assert CATALOG.work_of_run(document).settings is work.settings
    assert msgspec.convert(document, cls) == config
    for preset in work.presets:
        load_config(cls, plugin="any", preset=preset)
    for section, inner in sections(cls).items():
        assert inner.__struct_config__.frozen and section not in ("kind", "plugin", "domain")


@pytest.mark.parametrize("entry", CATALOG.entries, ids=lambda entry: entry.name)
def test_usual_settings_fit_every_declaration(entry):
    for work in entry.works():
        config = load_config(CATALOG.settings(work), plugin=entry.name)
        work.check(config, entry.declaration)
        assert list(work.costs(config, entry.declaration)) == []


@pytest.mark.parametrize("name", KINDS)
def test_functions_that_are_loaded_late_are_there(name):
    kind = KINDS[name]
    functions = [kind.check, *(getattr(work, part) for work in kind.works for part in work.__dataclass_fields__)]
    targets = [f.__qualname__ for f in functions if callable(f) and ":" in f.__qualname__]
    assert targets
    for target in targets:
        module, function = target.split(":")
        assert callable(getattr(importlib.import_module(module), function)), target
