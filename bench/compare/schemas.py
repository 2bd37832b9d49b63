"""Schemas derived from a schema: the same features with other encodings."""

import copy
import json
import tomllib


def load(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


def value_text(value):
    """TOML writes strings, numbers, booleans and lists of them as JSON does."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {value_text(part)}" for key, part in value.items()) + " }"
    return json.dumps(value)


def write(schema, path):
    lines = [f"{key} = {value_text(value)}" for key, value in schema.items() if key != "feature"]
    for feature in schema["feature"]:
        lines += ["", "[[feature]]", *(f"{key} = {value_text(value)}" for key, value in feature.items())]
    path.write_text("\n".join(lines) + "\n")


def is_hashed(feature):
    return feature.get("encoding", "four_split") == "four_split"


def encoded(schema, encoding="four_split", scale=1.0, **keys):
    """Every four-split feature in another encoding, its cardinality times `scale`, with further keys."""
    schema = copy.deepcopy(schema)
    for feature in filter(is_hashed, schema["feature"]):
        feature |= {"encoding": encoding, "cardinality": max(1, int(feature["cardinality"] * scale)), **keys}
    return schema


def with_cross(schema, fields, cardinality):
    schema = copy.deepcopy(schema)
    schema["feature"].append({"cross": fields, "cardinality": cardinality})
    return schema
