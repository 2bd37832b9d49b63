"""Descriptions of models, datasets and tables."""

import json
from typing import Any, Dict

from . import _core
from .arguments import FilePath, needed_path


def describe(path: FilePath) -> Dict[str, Any]:
    """Describe what a model, a dataset or a folder of tables contains, and what it was made from.

    Reads neither shards, nor tables, nor weights: `verify()` checks those.

    Parameters
    ----------
    path : path
        The model, dataset, or folder of tables.

    Returns
    -------
    dict
        The keys of `widehash describe --json`. `kind` is "model", "dataset" or
        "tables", and says which other keys there are. `schema` is the TOML of the
        schema, for `parse_schema()`; None for tables that do not include it.

    Raises
    ------
    FileError
        If there is nothing at the path, or a file cannot be read.
    DataError
        If it is none of the three, or is damaged.

    Examples
    --------
    >>> widehash.describe("clicks.model")["optimizer"]["learning_rate"]
    0.4
    """
    found = _core.describe(needed_path("path", path))
    return found | {key: json.loads(found[key]) for key in ("optimizer", "training") if key in found}
