"""Checks the arguments of the package's functions and converts them for the compiled module."""

import functools
import operator
import os
from collections.abc import Mapping
from typing import Any, Callable, Iterable, List, Optional, SupportsIndex, Tuple, TypeVar, Union

from ._core import MAX_THREADS, Schema
from .columns import is_table
from .errors import ConfigError
from .reports import Progress
from .wording import kind_of

FilePath = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Inputs = Union[FilePath, Iterable[FilePath]]
SchemaLike = Union[Schema, FilePath]
ProgressCallback = Callable[[Progress], object]

_PATHS = (str, bytes, os.PathLike)
_Function = TypeVar("_Function", bound=Callable[..., object])

MAX_COUNT = 2**64 - 1


def path_bytes(name: str, path: Optional[FilePath]) -> bytes:
    """Encode a str, bytes or os.PathLike; None becomes b""."""
    if path is None:
        return b""
    if not isinstance(path, _PATHS):
        raise TypeError(f"{name} must be a path or None, not {kind_of(path)}")
    try:
        encoded = os.fsencode(path)
    except UnicodeEncodeError:
        raise ConfigError(f"{path!r}: a path cannot hold half of a surrogate pair") from None
    if b"\0" in encoded:
        raise ConfigError(f"{path!r}: a path cannot hold a NUL")
    return encoded


def needed_path(name: str, path: FilePath) -> bytes:
    """Like `path_bytes()`, for a required argument."""
    if not isinstance(path, _PATHS):
        raise TypeError(f"{name} must be a path, not {kind_of(path)}")
    return path_bytes(name, path)


def paths_of(name: str, paths: Any) -> List[bytes]:
    """Encode one path, or several."""
    if isinstance(paths, _PATHS):
        return [needed_path(name, paths)]
    if is_table(paths) or not isinstance(paths, Iterable):
        hint = "; DatasetWriter makes a dataset of rows in memory" if is_table(paths) else ""
        raise TypeError(f"{name} must be a path or several, not {kind_of(paths)}{hint}")
    several = [needed_path(name, path) for path in paths]
    if not several:
        raise ConfigError(f"{name}: there is none; give at least one path")
    return several


def fixed_path(name: str, path: FilePath) -> bytes:
    """Encode a required path so that it stays valid after a change of the working directory.

    The path is not normalized, because `..` after a symbolic link leads elsewhere.
    """
    encoded = needed_path(name, path)
    return os.path.join(os.getcwdb(), encoded) if encoded and not os.path.isabs(encoded) else encoded


def text(name: str, value: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} = {value!r}: must be a str, not {type(value).__name__}")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ConfigError(f"{name} has surrogates, which UTF-8 cannot encode; give a text without them") from None
    return value


def names(name: str, values: Any) -> List[str]:
    """Check one name, or several. There may be none."""
    if isinstance(values, str):
        values = [values]
    if isinstance(values, (bytes, Mapping)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a str or several, not {kind_of(values)}")
    several = [text(name, value) for value in values]
    if "" in several:
        raise ConfigError(f"{name}: a name is empty")
    return several


def text_form(header: Optional[bool], delimiter: Optional[str],
              quote: Optional[str]) -> Tuple[Optional[bool], Optional[str], Optional[str]]:
    """Check how text is divided; None stays None."""
    return (None if header is None else flag("header", header),
            None if delimiter is None else ascii_character("delimiter", delimiter),
            None if quote is None else ascii_character("quote", quote, may_be_empty=True))


def fold_texts(folds: Optional[str], fold_by: Optional[str]) -> Tuple[str, str]:
    """Check both arguments; None becomes ""."""
    if folds == "" or fold_by == "":
        raise ConfigError('folds and fold_by must not be empty; give for example folds="1-9/10", fold_by="user"')
    return ("" if folds is None else text("folds", folds), "" if fold_by is None else text("fold_by", fold_by))


def ascii_character(name: str, value: str, may_be_empty: bool = False) -> str:
    """Check that `value` is one ASCII character, or "" if `may_be_empty`."""
    if len(text(name, value)) == 1 and value.isascii() or may_be_empty and value == "":
        return value
    raise ConfigError(f"{name} = {value!r}: must be one ASCII character{', or none' if may_be_empty else ''}")


def flag(name: str, value: Any) -> bool:
    """Check for True or False. Refuses other truthy or falsy values, such as "no"."""
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    raise TypeError(f"{name} = {value!r}: must be True or False")


def callback(name: str, function: Optional[_Function]) -> Optional[_Function]:
    if function is not None and not callable(function):
        raise TypeError(f"{name} = {function!r}: must be a function or None")
    return function


def input_list(inputs: Any, may_be_empty: bool = False) -> List[bytes]:
    """Encode one path or glob, or several. Refuses anything else."""
    if isinstance(inputs, _PATHS):
        inputs = [inputs]
    if is_table(inputs):
        raise TypeError(f"inputs are files; rows in memory, such as this {type(inputs).__name__}, are for Encoder.encode, "
                        "DatasetWriter, LookupTablesWriter, Model.predict and Model.evaluate")
    if hasattr(inputs, "read") or not isinstance(inputs, Iterable):
        raise _no_input(inputs)
    paths = [_input_path(path) for path in inputs]
    if not paths and not may_be_empty:
        raise ConfigError("inputs: there are none; name at least one file or glob")
    return paths


def _input_path(path: Any) -> bytes:
    if not isinstance(path, _PATHS):
        raise _no_input(path)
    return path_bytes("inputs", path)


def _no_input(given: Any) -> TypeError:
    hint = ": give the path of that file" if hasattr(given, "read") else ""
    return TypeError(f"inputs must be the path or glob of files, or several of them, not {type(given).__name__}{hint}")


def schema_path(name: str, path: FilePath) -> bytes:
    """Encode the path of a schema. Refuses the text of a schema."""
    if isinstance(path, str) and "\n" in path and not os.path.exists(path):
        raise ConfigError(f"{name}: this is a text of several lines, but a path is needed; parse_schema() makes a Schema of it")
    return needed_path(name, path)


def schema_or_path(schema: SchemaLike) -> Union[Schema, bytes]:
    if isinstance(schema, Schema):
        return schema
    if not isinstance(schema, _PATHS):
        hint = ("; make_schema() makes one of a mapping" if isinstance(schema, Mapping) else
                "; give its .schema" if hasattr(schema, "schema") else "")
        raise TypeError(f"schema must be a Schema or the path of one, not {kind_of(schema)}{hint}")
    return schema_path("schema", schema)


def whole_number(name: str, value: SupportsIndex) -> int:
    if isinstance(value, bool):
        raise TypeError(f"{name} = {value!r}: must be a whole number")
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} = {value!r}: must be a whole number") from None


def count(name: str, value: SupportsIndex, largest: int = MAX_COUNT) -> int:
    """Check for a whole number from 0 to `largest`."""
    number = whole_number(name, value)
    if not 0 <= number <= largest:
        raise ConfigError(f"{name} = {number}: must be a whole number from 0 to {largest}")
    return number


def thread_count(threads: Optional[int]) -> int:
    return 0 if threads is None else count("threads", threads, MAX_THREADS)


def progress_callback(progress: Optional[ProgressCallback]) -> Optional[Callable[[int, int, int], None]]:
    """Wrap `progress` so that it is called with a Progress."""
    function = callback("progress", progress)
    return None if function is None else functools.partial(_report_progress, function)


def _report_progress(progress: ProgressCallback, rows: int, bytes_done: int, bytes_total: int) -> None:
    progress(Progress(rows, bytes_done, bytes_total))
