"""Converts tables of other libraries into columns of texts to hash, copying only where it is unavoidable."""

import array
import contextlib
import itertools
import re
import sys
from collections.abc import Mapping, Set as AnySet, Sized
from typing import Any, Collection, Iterable, Iterator, List, Optional, Protocol, Sequence, Set, Tuple, Union, cast

import numpy
from numpy.typing import NDArray

from . import _core
from .errors import ConfigError, DataError
from .wording import kind_of


class ArrowStream(Protocol):
    """An object that exports batches through Arrow's C data interface: tables of Arrow, Polars, DuckDB."""

    def __arrow_c_stream__(self) -> object: ...


class ArrowBatch(Protocol):
    """An object that exports one array through Arrow's C data interface: a record batch."""

    def __arrow_c_array__(self) -> Tuple[object, object]: ...


class NamedColumns(Protocol):
    """A pandas data frame."""

    @property
    def columns(self) -> Any: ...

    def items(self) -> Iterable[Tuple[Any, Any]]: ...


Table = Union[NamedColumns, ArrowStream, ArrowBatch, Mapping[str, Any], Sequence[Mapping[str, Any]], "numpy.ndarray[Any, Any]"]

_NUMBERS = {"i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"}
_LISTS = (list, tuple, numpy.ndarray)
# How many rows of a list of rows are searched for field names: those that errors list, and those that are not a str.
_ROWS_THAT_NAME = 100
# How an Arrow stream reports an exception that Python raised while producing it: as the last line of a traceback, or
# after a message of its own.
_RAISED = re.compile(r"(?:^|exception[^\n]*: )(KeyboardInterrupt|MemoryError)(?=:|\s|$)", re.MULTILINE)


def is_table(data: Any) -> bool:
    """Return whether `data` is meant as rows in memory rather than as one or more paths."""
    if isinstance(data, (list, tuple)):
        return len(data) > 0 and isinstance(data[0], Mapping)
    return (isinstance(data, (Mapping, numpy.ndarray)) or hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")
            or hasattr(data, "columns") or hasattr(data, "column_names"))


def tables_of(data: Any, fields: Optional[Sequence[str]]) -> List[_core.ColumnTable]:
    """Convert `data`, which is anything that `Encoder.encode()` takes, to a list of `_core.ColumnTable`.

    Only columns named in `fields` are read; None reads all.
    """
    return list(each_table(data, fields))


def each_table(data: Any, fields: Optional[Sequence[str]]) -> Iterable[_core.ColumnTable]:
    """Like `tables_of()`, one table at a time. The next batch of a stream is requested when needed."""
    if _is_pandas(data, "DataFrame"):
        return [_table_of(data.items(), fields)]
    if objects := _polars_objects(data):
        return _polars_tables(data, objects, fields)
    if hasattr(data, "__arrow_c_stream__") and not _is_pandas(data, "Series"):
        return _tables_of_stream(data, fields)
    if hasattr(data, "__arrow_c_array__"):
        schema, array = data.__arrow_c_array__()
        return [_core.arrow_table(schema, array, _wanted(fields))]
    if isinstance(data, Mapping):
        return [_table_of(data.items(), fields)]
    if isinstance(data, numpy.ndarray) and data.dtype.names:
        return [_table_of(((name, data[name]) for name in data.dtype.names), fields)]
    if isinstance(data, (list, tuple)) and all(isinstance(row, Mapping) for row in data):
        return [_table_of(_columns_of_rows(data, fields), fields)]
    hint = "; call .collect() first" if hasattr(data, "collect") else ""
    if isinstance(data, (list, tuple)):
        row, wrong = next((row, value) for row, value in enumerate(data, 1) if not isinstance(value, Mapping))
        hint = f"; its row {row} is {kind_of(wrong)}"
    raise TypeError(
        f"a table must be a data frame, an Arrow table, a mapping of field to column or a list of mappings, not {type(data).__name__}{hint}"
    )


def column_of(values: Iterable[Any], name: str = "values") -> _core.ColumnTable:
    """Convert `values` to a `_core.ColumnTable` with one column."""
    return _table_of([(name, values)], [name])


def _is_pandas(data: Any, kind: str) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, getattr(pandas, kind))


def _wanted(fields: Optional[Sequence[str]]) -> Optional[Set[str]]:
    return None if fields is None else set(fields)


def _tables_of_stream(data: Any, fields: Optional[Sequence[str]]) -> Iterator[_core.ColumnTable]:
    with _as_raised():
        reader = _core.ArrowReader(data.__arrow_c_stream__())
    wanted = _wanted(fields)
    is_empty = True
    while True:
        with _as_raised():
            table = reader.next(wanted)
        if table is None:
            break
        is_empty = False
        yield table
    # A stream without rows may yield no batch at all. Yield empty columns of the same names instead.
    if is_empty:
        yield _table_of(((name, []) for name in names_of(data)), fields)


@contextlib.contextmanager
def _as_raised() -> Iterator[None]:
    """Raise KeyboardInterrupt and MemoryError again where an Arrow stream passed on only their text.

    Code that handles DataError is not meant to swallow Ctrl-C or a lack of memory.
    """
    try:
        yield
    except DataError as error:
        raised = _RAISED.search(str(error))
        if raised is None:
            raise
        raise (KeyboardInterrupt if raised[1] == "KeyboardInterrupt" else MemoryError)(str(error)) from error


def _polars_objects(data: Any) -> List[str]:
    """Return the names of the columns of a Polars data frame that hold Python objects."""
    polars = sys.modules.get("polars")
    if polars is None or not isinstance(data, polars.DataFrame):
        return []
    return [name for name, dtype in data.schema.items() if dtype == polars.Object]


def _polars_tables(data: Any, objects: List[str], fields: Optional[Sequence[str]]) -> Iterator[_core.ColumnTable]:
    """Convert a Polars data frame with columns of Python objects.

    Polars exports such columns to Arrow as the memory addresses of the objects.
    """
    wanted = _wanted(fields)
    for table in _tables_of_stream(data.drop(objects), fields):
        num_rows = len(table) if data.width > len(objects) else len(data)
        for name in objects:
            if wanted is None or name in wanted:
                table.add_unreadable(name, num_rows, "the Polars type Object", "")
            else:
                table.leave_out(name, num_rows)
        yield table


def names_of(data: Any) -> List[str]:
    for attribute in ("column_names", "columns"):
        names = getattr(data, attribute, None)
        if names is not None and not callable(names):
            return [str(name) for name in names]
    return list(getattr(getattr(data, "schema", None), "names", []))


def _columns_of_rows(rows: Sequence[Mapping[str, Any]], fields: Optional[Sequence[str]]) -> Iterator[Tuple[str, Sequence[Any]]]:
    """Yield the columns of a list of mappings.

    A row without a field has a missing value there. A field that no row has yields no
    column; if there are no rows, all fields yield empty columns. If a field is absent,
    or `fields` is empty, the other keys of the first rows follow, so that errors can
    name them. A key that is not a str may be the absent field.
    """
    names = list(dict.fromkeys(itertools.chain.from_iterable(rows)) if fields is None else fields)
    columns = [name for name in names if not rows or any(name in row for row in rows)]
    for name in columns:
        yield name, [row.get(name) for row in rows]
    if len(columns) < len(names) or not columns:
        for name in dict.fromkeys(itertools.chain.from_iterable(rows[:_ROWS_THAT_NAME])):
            if name not in names:
                yield name, [row.get(name) for row in rows] if str(name) in names else rows


def _table_of(columns: Iterable[Tuple[Any, Any]], fields: Optional[Sequence[str]]) -> _core.ColumnTable:
    table = _core.ColumnTable()
    wanted = _wanted(fields)
    if wanted is not None:
        for name, values in columns:
            if str(name) in wanted:
                _add(table, str(name), values)
            else:
                table.leave_out(str(name).encode("utf-8", "backslashreplace"), len(values) if isinstance(values, Sized) else 0)
        return table
    for name, values in columns:
        _require_text(name)
        # When all columns are read, one whose values have no text raises only if it is used. The error message reads
        # the values again, so an iterator is stored first.
        if isinstance(values, Iterable) and not isinstance(values, Sized) and not _speaks_arrow(values):
            values = tuple(values)
        try:
            _add(table, str(name), values)
        except ConfigError:
            table.add_unreadable(str(name), len(values), _type_of_items(values), "")
    return table


def _require_text(name: Any) -> None:
    """Raise ConfigError if UTF-8 cannot encode a name, which no schema has checked."""
    try:
        str(name).encode()
    except UnicodeEncodeError:
        raise ConfigError(f"column {str(name)!r}: its name has surrogates, which UTF-8 cannot encode; give it another") from None


def _type_of_items(values: Iterable[Any]) -> str:
    kinds = dict.fromkeys(type(value).__name__ for value in values if not is_missing(value))
    return "values of type " + ", ".join(itertools.islice(kinds, 3))


def _add(table: _core.ColumnTable, name: str, values: Any) -> None:
    no_sequence = (str, bytes, bytearray, Mapping, AnySet)
    is_scalar = numpy.isscalar(values) and not isinstance(values, memoryview)
    is_matrix = _is_pandas(values, "DataFrame") or hasattr(values, "tocsr")
    if values is None or isinstance(values, no_sequence) or is_scalar or is_matrix or hasattr(values, "collect"):
        raise _no_column(name, values)
    if _is_pandas(values, "Series"):
        _add_series(table, name, values)
    elif _is_pandas(values, "Index"):
        _add_series(table, name, values.to_series())
    elif _is_pandas(values, "Categorical"):
        _add_categories(table, name, values.codes, values.categories)
    elif isinstance(values, numpy.ma.MaskedArray):
        _add_masked(table, name, values)
    elif isinstance(values, (numpy.ndarray, array.array, memoryview)):
        _add_array(table, name, numpy.asarray(values))
    elif _speaks_arrow(values):
        _add_arrow(table, name, values)
    elif hasattr(values, "to_list"):
        _add_objects(table, name, values.to_list())
    else:
        try:
            iter(values)
        except TypeError:
            raise _no_column(name, values) from None
        _add_objects(table, name, values)


def _no_column(name: str, values: Any) -> TypeError:
    hint = "; call .collect() first" if hasattr(values, "collect") else "; a single row goes in a list, [row]"
    return TypeError(f"column '{name}' is {kind_of(values)}, not a sequence of values{hint}")


def _add_objects(table: _core.ColumnTable, name: str, values: Iterable[Any]) -> None:
    """Add a column of Python objects.

    If its first value that is not missing is a list, all values must be lists or
    missing, as for a multi-valued feature.
    """
    values = tuple(values)
    first = next((value for value in values if not is_missing(value)), None)
    if not isinstance(first, _LISTS):
        table.add_objects(name, values)
        return
    lists = [_items_of(name, row, value) for row, value in enumerate(values, 1)]
    offsets = numpy.zeros(len(lists) + 1, dtype=numpy.uint64)
    numpy.cumsum([len(items) for items in lists], out=offsets[1:])
    table.add_lists(name, offsets, tuple(itertools.chain.from_iterable(lists)))


def is_categorical(column: Any) -> bool:
    """Return whether the column's type marks its values as categories.

    Such types are categoricals of pandas and Polars, the Enum of Polars, and Arrow
    dictionaries.
    """
    kind = getattr(column, "dtype", getattr(column, "type", None))
    return type(kind).__name__ in ("CategoricalDtype", "Categorical", "Enum", "DictionaryType")


def is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)


def _items_of(name: str, row: int, value: Any) -> Collection[Any]:
    if isinstance(value, numpy.ndarray):
        if value.ndim != 1:
            raise ConfigError(f"column '{name}', row {row}: an array of {value.ndim} dimensions; a list of values has one")
        if value.dtype.kind in "mM":
            return _time_texts(name, row, value)
        # As numpy scalars, floats keep their width, which determines their text.
        is_masked = isinstance(value, numpy.ma.MaskedArray)
        items: Any = value.tolist() if value.dtype.kind != "f" else cast(Any, value).filled(numpy.nan) if is_masked else value
        return cast(Collection[Any], items)
    if isinstance(value, _LISTS):
        return value
    if is_missing(value):
        return ()
    raise ConfigError(f"column '{name}', row {row}: a value of type {type(value).__name__} among lists; give a list of it")


def _speaks_arrow(column: Any) -> bool:
    """Return whether the column is an Arrow array or a Polars series.

    Excludes Polars series of Python objects, which export only the memory addresses of
    the objects.
    """
    is_arrow = hasattr(column, "__arrow_c_stream__") or hasattr(column, "__arrow_c_array__")
    return is_arrow and str(getattr(column, "dtype", "")) != "Object"


def _add_arrow(table: _core.ColumnTable, name: str, column: Any) -> None:
    if hasattr(column, "__arrow_c_array__"):
        table.add_arrow_array(name, *column.__arrow_c_array__())
        return
    with _as_raised():
        table.add_arrow_stream(name, column.__arrow_c_stream__())


def _add_masked(table: _core.ColumnTable, name: str, values: Any) -> None:
    kind = values.dtype.kind
    if kind == "f":
        _add_array(table, name, values.filled(numpy.nan))
    elif kind in "mM":
        _add_array(table, name, values.filled(numpy.array("NaT", values.dtype)))
    else:
        _add_objects(table, name, values.tolist())


def _add_series(table: _core.ColumnTable, name: str, series: Any) -> None:
    dtype = series.dtype
    if hasattr(dtype, "categories"):
        _add_categories(table, name, series.cat.codes.to_numpy(), dtype.categories)
    elif isinstance(dtype, numpy.dtype):
        _add_array(table, name, series.to_numpy())
    elif hasattr(dtype, "pyarrow_dtype") or str(getattr(dtype, "storage", "")).startswith("pyarrow"):
        _add_arrow(table, name, series.array.__arrow_array__())
    elif getattr(getattr(dtype, "numpy_dtype", None), "kind", "") == "f":
        _add_array(table, name, series.to_numpy(dtype=dtype.numpy_dtype, na_value=numpy.nan))
    elif type(dtype).__name__ == "DatetimeTZDtype" and str(dtype.tz) == "UTC":
        _add_array(table, name, series.dt.tz_localize(None).to_numpy())
    elif type(dtype).__name__ == "DatetimeTZDtype":
        table.add_unreadable(name, len(series), f"the type {dtype}, whose hours are those of one zone or of another",
                             'give .dt.tz_localize(None), the local ones, or .dt.tz_convert("UTC")')
    elif type(dtype).__name__ == "SparseDtype":
        _add_array(table, name, numpy.asarray(series))
    else:
        _add_objects(table, name, series.to_numpy(dtype=object).tolist())


def _add_categories(table: _core.ColumnTable, name: str, codes: NDArray[Any], categories: Any) -> None:
    values = categories.astype(object).to_numpy() if getattr(categories.dtype, "kind", "") == "M" else categories.to_numpy()
    # float32 and float16 stay numpy scalars, because their width determines their text.
    is_same_in_python = values.dtype.kind in "biu" or values.dtype == numpy.float64
    table.add_dictionary(name, numpy.ascontiguousarray(codes), tuple(values.tolist() if is_same_in_python else values))


def _counted_times(values: NDArray[Any]) -> Optional[NDArray[Any]]:
    """Convert times to a unit that has a text. Return None if their unit has none."""
    unit, step = numpy.datetime_data(values.dtype)
    if unit in ("generic", "ps", "fs", "as"):
        return None
    if unit in ("Y", "M", "W", "h", "m") or step != 1:
        unit = "D" if unit in ("Y", "M", "W", "D") else "s" if unit in ("h", "m") else unit
    return values.astype(f"=M8[{unit}]", copy=False)


def _time_texts(name: str, row: int, values: NDArray[Any]) -> List[Optional[str]]:
    times = _counted_times(values) if values.dtype.kind == "M" else None
    if times is None:
        raise ConfigError(f"column '{name}', row {row}: an array of the type {values.dtype}, which has no single text; convert it to text")
    return [None if text in (None, "NaT") else _without_last_zeros(text.replace("T", " ")) for text in numpy.datetime_as_string(times).tolist()]


def _without_last_zeros(time: str) -> str:
    return time.rstrip("0").rstrip(".") if "." in time else time


def _add_array(table: _core.ColumnTable, name: str, values: NDArray[Any]) -> None:
    if values.ndim != 1:
        raise TypeError(f"column '{name}' is an array of {values.ndim} dimensions; a column has one")
    kind = values.dtype.kind
    if kind == "b":
        table.add_booleans(name, numpy.ascontiguousarray(values))
    elif values.dtype.str[1:] == "f2":
        table.add_halves(name, numpy.ascontiguousarray(values, dtype=numpy.float16).view(numpy.uint16))
    elif kind in "iuf" and values.dtype.str[1:] in _NUMBERS:
        table.add_numbers(name, numpy.ascontiguousarray(values, dtype=values.dtype.newbyteorder("=")))
    elif kind == "M" and (times := _counted_times(values)) is not None:
        table.add_times(name, numpy.ascontiguousarray(times.view(numpy.int64)), numpy.datetime_data(times.dtype)[0])
    elif kind in "OUST":  # T: variable-length strings of numpy 2
        _add_objects(table, name, values.tolist())
    else:
        table.add_unreadable(name, len(values), f"the type {values.dtype}", "")
