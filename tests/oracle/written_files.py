"""Reads files that the program writes, using only docs/formats.md."""

import json
import struct

import numpy

ITEM_TYPES = {"columns": "<u4", "numbers": "<f4", "ragged_offsets": "<u8", "targets": "<f4", "weights": "<f4",
              "hashes": "<u8", "hashes_low": "<u8", "counts": "<u8", "value_offsets": "<u8"}


def sections(path):
    """The sections by name, as arrays where all items have one type, and the metadata."""
    content = path.read_bytes()
    offset, num_bytes = struct.unpack("<QQ", content[-64:-48])
    footer = json.loads(content[offset:offset + num_bytes])
    found = {}
    for section in footer["sections"]:
        payload = content[section["offset"]:section["offset"] + section["bytes"]]
        item_type = ITEM_TYPES.get(section["name"])
        found[section["name"]] = numpy.frombuffer(payload, item_type) if item_type else payload
    return found, footer["metadata"]


def rejected(path):
    """(file, line, reason) of each rejected row."""
    lines = path.read_bytes().decode("latin-1").split("\n")[1:-1]
    return [(name, int(line), reason) for name, line, reason, _ in (text.split("\t") for text in lines)]
