"""Of an answer that is too long the beginning is told, and how much is left out."""

import msgspec

from lieapp.document import Formula
from lieapp.lie import cut
from lieapp.lie.symmetries import Given, symmetries
from lieapp.lie.told import told
from lieapp.report.truth_document import document

LONG = [Formula(f"{'x' * 90} + {k}", f"{'x' * 90} + {k}") for k in range(500)]


def test_lists():
    kept = cut.beginning(LONG)
    size = len(msgspec.json.encode(kept))
    assert 0 < len(kept) < 500 and kept == LONG[: len(kept)] and size < cut.MOST + 2 * len(kept)
    (said,) = cut.left_out("steps", LONG)
    assert said.startswith(f"{len(kept)} of 500 steps are told")
    assert cut.beginning(LONG[:9]) == LONG[:9] and cut.left_out("steps", LONG[:9]) == []


def test_texts():
    assert cut.shortened(["a", "b"]) == ["a", "b"]
    (one,) = cut.shortened(["y" * 10_000])
    assert len(one) < cut.LONGEST + 30 and one.endswith("… (10000 characters)")
    many = cut.shortened(["z" * 1000] * 100)
    assert many[-1] == "and 85 more, which would be too long" and len(many) == 16


def test_a_derivation_says_what_it_leaves_out(monkeypatch):
    truth = symmetries(Given("u_t - u_xx", "t,x", "u"))
    assert not truth.explain().left_out
    monkeypatch.setattr(cut, "MOST", 300)
    explained = truth.explain()
    assert any("steps are told" in said for said in explained.left_out) and len(explained.steps) < 5
    assert explained.left_out[0] in truth.latex(explain=True)
    result = told(truth)
    result.explain = explained
    assert explained.left_out[0] in str(document(result))
