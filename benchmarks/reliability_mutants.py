"""Damage done to files: bytes flipped, cut and repeated, and nodes of JSON swapped, dropped and replaced."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

Mutate = Callable[[bytes, random.Random], bytes]

EXTREMES: tuple[Any, ...] = (
    None, True, 0, -1, 10**15, 10**40, 1e300, -1e300, 1e-300, "", "x", "\\frac{", "\x00", "\ud7ff$%&", "../../x",
    "9" * 5000, [], {}, [[]], ["x"], {"a": 1},
)  # fmt: skip
"""What a node of JSON is replaced by."""


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Bytes with one to three of these: some flipped, a piece cut out, the end cut off, one repeated or blank."""
    found = bytearray(content)
    for _ in range(chance.randint(1, 3)):
        if not found:
            break
        start = chance.randrange(len(found))
        # most of the meaning of a file stands at its beginning
        start = start if chance.random() < 0.5 else min(start, chance.randrange(1024))
        end = min(len(found), start + chance.choice((1, 4, 64, 4096)))
        match chance.randrange(6):
            case 0 | 1:
                for _ in range(chance.randint(1, 8)):
                    found[chance.randrange(start, end)] ^= 1 << chance.randrange(8)
            case 2:
                del found[start:end]
            case 3:
                del found[start:]
            case 4:
                found[end:end] = found[start:end] * chance.choice((1, 2, 100))
            case 5:
                found[start:end] = chance.choice((b"\0", b"\xff")) * (end - start)
    return bytes(found)


def rewritten(content: bytes, chance: random.Random) -> bytes:
    """JSON with one to three nodes swapped, dropped, repeated or replaced by something extreme."""
    found = copy.deepcopy(json.loads(content))
    for _ in range(chance.randint(1, 3)):
        places = list(_places(found))
        if not places:
            break
        (parent, key), (other, second) = chance.choice(places), chance.choice(places)
        match chance.randrange(4):
            case 0:
                parent[key], other[second] = copy.deepcopy(other[second]), copy.deepcopy(parent[key])
            case 1:
                del parent[key]
            case 2 if isinstance(parent, list):
                parent.insert(key, copy.deepcopy(parent[key]))
            case _:
                parent[key] = copy.deepcopy(chance.choice(EXTREMES))
    return json.dumps(found).encode("utf-8", "surrogatepass")


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every node below a value, as what holds it and the key."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


def either(content: bytes, chance: random.Random) -> bytes:
    """JSON damaged in its bytes or in its nodes."""
    return (damaged if chance.random() < 0.5 else rewritten)(content, chance)


def resealed(mutate: Mutate) -> Mutate:
    """As a mutation, but half of what comes out bears the right checksum: what lies behind it is reached too."""

    def one(content: bytes, chance: random.Random) -> bytes:
        from lieapp.reading import UnreadableError, decode_object
        from lieapp.runs.store.sealed import BLANK, IN_HEADER, KEY, sealed

        found = mutate(content, chance)
        if chance.random() < 0.5:
            return found
        place = IN_HEADER.search(found)
        if place is not None:
            start, end = place.span(1)
            blank = found[:start] + BLANK.encode() + found[end:]
            return blank[:start] + hashlib.sha256(blank).hexdigest().encode() + blank[end:]
        try:
            document = decode_object(found)
        except UnreadableError:
            return found
        document.pop(KEY, None)
        return sealed(document)

    return one


def facts_rewritten(content: bytes, chance: random.Random) -> bytes:
    """A safetensors file whose header is rewritten in its nodes, those of JSON inside its metadata too."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    inner = header.get("__metadata__", {})
    if "facts" in inner and chance.random() < 0.7:
        inner["facts"] = rewritten(inner["facts"].encode(), chance).decode("utf-8", "replace")
        text = json.dumps(header, separators=(",", ":")).encode()
    else:
        text = rewritten(json.dumps(header, separators=(",", ":")).encode(), chance)
    return len(text).to_bytes(8, "little") + text + content[8 + length :]


def tensors(content: bytes, chance: random.Random) -> bytes:
    """A safetensors file damaged in its bytes or in its header."""
    return (damaged if chance.random() < 0.5 else facts_rewritten)(content, chance)


def archived(content: bytes, chance: random.Random) -> bytes:
    """A zip archive damaged in its bytes, or in those of one member, whose checksum then is right."""
    if chance.random() < 0.5:
        return damaged(content, chance)
    found = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(found, "w") as new:
        names = old.namelist()
        hurt = chance.choice(names)
        for name in names:
            new.writestr(name, damaged(old.read(name), chance) if name == hurt else old.read(name))
    return found.getvalue()
