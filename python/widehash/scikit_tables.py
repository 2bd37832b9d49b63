"""Converts the X of scikit-learn to a table of named columns."""

import contextlib
import os
import re
from collections.abc import Mapping
from typing import Any, Dict, Iterator, List, Set

import numpy

from ._core import Schema, hash_four_split
from .columns import column_of, is_table, names_of
from .errors import ConfigError, DataError, ShapeError
from .scratch import scratch_folder
from .writing import LookupTablesWriter


def checked_settings(settings: Any) -> Mapping[str, Any]:
    if settings is None:
        return {}
    if not isinstance(settings, Mapping):
        raise TypeError(f"settings must be a mapping of further keys of make_schema(), or None, not a {type(settings).__name__}")
    for key in settings:
        if not isinstance(key, str):
            raise TypeError(f"settings: {key!r} is not a key of make_schema(); it must be a str, not {type(key).__name__}")
    for key in ("label", "weight"):
        if settings.get(key) is not None:
            raise ConfigError(f"settings: {key} does not belong here; give the {key}s of the rows to fit() along with X")
    if "features" in settings:
        raise ConfigError("settings: `features` is a separate argument, not one of the settings")
    return settings


def named(X: Any) -> Any:
    """Return X itself, or a mapping of x0, x1, ... to the columns of an array or of a list of rows."""
    if hasattr(X, "tocsr"):
        raise TypeError("sparse input is not supported: it has no values to hash; give the table it was made from")
    if isinstance(X, (list, tuple)) and X and all(isinstance(row, (list, tuple)) for row in X):
        if len({len(row) for row in X}) > 1:
            raise ValueError("X has rows of different lengths; give a value for each column, or a table of named columns")
        return {f"x{i}": list(column) for i, column in enumerate(zip(*X))}
    array = numpy.asarray(X) if hasattr(X, "__array__") and not is_table(X) else X
    if not isinstance(array, numpy.ndarray) or array.dtype.names:
        return X
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead. Reshape your data, or give a table of named columns")
    if array.shape[1] == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    return {f"x{i}": array[:, i] for i in range(array.shape[1])}


def field_names(table: Any) -> List[Any]:
    """Return the names of the table's fields, as the table has them."""
    if isinstance(table, (list, tuple)) and all(isinstance(row, Mapping) for row in table):
        return list(dict.fromkeys(name for row in table for name in row))
    if isinstance(table, Mapping):
        return list(table)
    if isinstance(table, numpy.ndarray):
        return list(table.dtype.names or ())
    has_names = any(hasattr(table, attribute) for attribute in ("column_names", "columns", "schema"))
    if hasattr(table, "collect") or not is_table(table) or not has_names:
        hint = "; call .collect() first" if hasattr(table, "collect") else ""
        raise TypeError(f"X must be a table of named columns, such as a data frame, or an array of two dimensions, not "
                        f"{type(table).__name__}{hint}")
    return names_of(table)


@contextlib.contextmanager
def of_all_rows() -> Iterator[None]:
    """Remove the advice to leave out bad rows from errors.

    scikit-learn expects a result for each row of X.
    """
    try:
        yield
    except DataError as error:
        advice = re.sub(r"; fix the row, or .* max_bad_rows=N", "; fix the row", error.message)
        raise DataError(advice, error.path, error.row) from None


def counted(schema: Schema, table: Any) -> Dict[str, bytes]:
    """Build lookup tables for a table and return the contents of their files by name."""
    with scratch_folder() as folder:
        place = os.path.join(folder, "tables")
        with of_all_rows(), LookupTablesWriter(schema, place) as writer:
            writer.append(table)
        files = {}
        for name in sorted(os.listdir(place)):
            with open(os.path.join(place, name), "rb") as file:
                files[name] = file.read()
        return files


def columns(table: Any) -> Dict[str, Any]:
    """Return the columns of a table by name. Raises TypeError for a table that can be read only once."""
    fields = field_names(table)
    if not fields:
        raise ConfigError("the table has no columns to make features from; fit() needs some")
    known: Set[str] = set()
    for name in map(str, fields):
        if name in known:
            raise ShapeError(f"a table has two columns named '{name}'")
        known.add(name)
    if isinstance(table, (list, tuple)):
        return {str(name): [row.get(name) for row in table] for name in fields}
    # A DuckDB query, whose columns are queries too.
    if hasattr(table, "__arrow_c_stream__") and callable(getattr(table, "project", None)):
        rows = table.to_arrow_table() if hasattr(table, "to_arrow_table") else table.arrow()
        return {str(name): rows[name] for name in fields}
    if hasattr(table, "items"):  # handles pandas column names that are not str
        return {str(name): column for name, column in table.items()}
    if not hasattr(table, "__getitem__"):
        raise TypeError(f"a {type(table).__name__} can be read only once, so its values cannot be counted before they are encoded; give a table of "
                        "all its rows, or `features`")
    return {str(name): table[name] for name in fields}


def cardinalities(table: Any) -> Dict[str, int]:
    """Count the distinct values of each column, by their hashes."""
    return {name: _cardinality(name, column) for name, column in columns(table).items()}


def _cardinality(name: str, column: Any) -> int:
    try:
        hashes, _ = hash_four_split(column_of(column, name), 1, 0, False)
    except ConfigError as error:
        raise ConfigError(f"column '{name}' cannot become a feature on its own; say how in `features`. {error}") from None
    if len(hashes) == 0:
        raise ConfigError(f"column '{name}' has no rows, so its values cannot be counted; fit() needs some, or `features`")
    return len(numpy.unique(hashes))
