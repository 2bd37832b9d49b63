"""Functions that make schemas."""

import os
import re
from collections.abc import Mapping
from typing import Any, List, Union

from ._core import Schema, load_schema as _load_schema, parse_schema as _parse_schema
from .arguments import FilePath, SchemaLike, schema_or_path, schema_path, text
from .errors import ConfigError
from .wording import kind_of

_MADE = "make_schema()"


def load_schema(path: FilePath) -> Schema:
    """Read a schema from a TOML file.

    Raises
    ------
    FileError
        If the file cannot be read.
    ConfigError
        If the schema is wrong; names the line and the key.
    """
    return _load_schema(schema_path("path", path))


def parse_schema(toml: Union[str, bytes], name: str = "schema") -> Schema:
    """Parse a schema from its TOML text, as `load_schema()` reads a file.

    Parameters
    ----------
    toml : str or bytes
        The text.
    name : str, default "schema"
        Identifies the text in error messages.

    Raises
    ------
    ConfigError
        If the schema is wrong; names the line and the key.
    """
    if not isinstance(toml, (str, bytes)):
        hint = "; load_schema() reads a file" if isinstance(toml, os.PathLike) or hasattr(toml, "read") else ""
        raise TypeError(f"toml must be the text of a schema, not {kind_of(toml)}{hint}")
    if isinstance(toml, str) and toml.endswith(".toml") and "\n" not in toml:
        raise ConfigError(f"toml = {toml!r}: this is a path, but the text of a schema is needed; load_schema() reads a file")
    return _parse_schema(toml if isinstance(toml, bytes) else text("toml", toml), text("name", name))


def schema_of(schema: SchemaLike) -> Schema:
    """Return a Schema unchanged, or load the file at a path."""
    known = schema_or_path(schema)
    return known if isinstance(known, Schema) else _load_schema(known)


def make_schema(features: Mapping[str, Any], **settings: Any) -> Schema:
    """Make a schema without a file.

    Parameters
    ----------
    features : mapping
        Maps the name of each feature to its cardinality, to an encoding that needs none
        ("numeric", "ignore"), or to a mapping with the keys of a [[feature]]. Without
        the key `field` or `cross`, the name is also that of the field.
    **settings
        The top-level keys of a schema (docs/schema.md). None counts as not given.

    Returns
    -------
    Schema

    Raises
    ------
    ConfigError
        If the schema is wrong; names the feature.

    Examples
    --------
    >>> widehash.make_schema(
    ...     {"carrier": 20, "route": {"cross": ["origin", "destination"], "cardinality": 5000}},
    ...     label={"field": "late", "positive": ["true"], "negative": ["false"]})
    """
    if not isinstance(features, Mapping):
        raise TypeError(f"features must be a mapping of name to cardinality or keys, not a {type(features).__name__}")
    lines = [_line("", key, value) for key, value in settings.items() if value is not None]
    features_of = [""] * len(lines)
    for name, given in features.items():
        keys = dict(given) if isinstance(given, Mapping) else {"encoding" if isinstance(given, str) else "cardinality": given}
        if "field" not in keys and "cross" not in keys:
            keys["field"] = name
        if keys.get("field") != name:
            keys["name"] = name
        lines.append("[[feature]]")
        lines += [_line(f"feature {name!r}, ", key, value) for key, value in keys.items()]
        features_of += [f", feature {name!r}"] * (len(lines) - len(features_of))
    try:
        return parse_schema("\n".join(lines) + "\n", _MADE)
    except ConfigError as error:
        raise ConfigError(_of_features(str(error), features_of)) from None


def settings_text(settings: Mapping[str, Any]) -> str:
    """Return top-level keys as TOML, one on each line. None counts as not given."""
    return "".join(_line("", key, value) + "\n" for key, value in settings.items() if value is not None)


def _of_features(message: str, features_of: List[str]) -> str:
    """Replace the line number in an error message by the feature, since the user never saw the text."""
    found = re.match(re.escape(_MADE) + r":(\d+)(?=:)", message)
    if found is None or not 1 <= int(found[1]) <= len(features_of):
        return message
    rest = message[found.end():].replace(": [[feature]]:", ":", 1).replace(" in [[feature]]", "", 1)
    return _MADE + features_of[int(found[1]) - 1] + rest


def _line(where: str, key: object, value: Any) -> str:
    try:
        return f"{_key(key)} = {_toml(value)}"
    except TypeError as error:
        raise TypeError(f"{where}{key}: {error}") from None


def _key(key: object) -> str:
    return str(key) if str(key).isidentifier() and str(key).isascii() else _text(str(key))


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, float):  # the repr of a numpy float includes its type
        return repr(float(value))
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if hasattr(value, "tolist"):  # numpy array or scalar
        return _toml(value.tolist())
    raise TypeError(f"a schema cannot hold values of type {type(value).__name__}")
