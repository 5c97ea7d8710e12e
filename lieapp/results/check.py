"""What a plugin's self-check says: the JSON of `lieapp check`."""

from __future__ import annotations

import msgspec

from lieapp.results.base import Result


class CheckRow(msgspec.Struct, kw_only=True):
    """One thing of a plugin that was verified, and what came out; `ok` is None of what wasn't run."""

    plugin: str
    name: str
    ok: bool | None
    detail: str


class CheckResult(Result, tag_field="result", tag="check", kw_only=True):
    """Every check, in order; `ok` if none failed."""

    ok: bool
    checks: list[CheckRow]
