"""Tables of other libraries as columns of texts to be hashed, copied only where there is no other way."""

from collections.abc import Mapping

import numpy

from . import _core

_NUMBERS = {"i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"}


def tables_of(data):
    """Lists the `_core.ColumnTable`s that `data` is made of; see Encoder.encode for what it may be."""
    if _is_pandas(data):
        return [_table_of(data.items())]
    if hasattr(data, "__arrow_c_stream__"):
        return _stream_of(data)
    if hasattr(data, "__arrow_c_array__"):
        return [_core.arrow_table(*data.__arrow_c_array__())]
    if isinstance(data, Mapping):
        return [_table_of(data.items())]
    if isinstance(data, numpy.ndarray) and data.dtype.names:
        return [_table_of((name, data[name]) for name in data.dtype.names)]
    if isinstance(data, (list, tuple)) and all(isinstance(row, Mapping) for row in data):
        return [_table_of(_columns_of_rows(data).items())]
    raise TypeError(
        f"a table is a data frame, an Arrow table, a mapping of field to column or a list of mappings, not {type(data).__name__}"
    )


def column_of(values):
    """A `_core.ColumnTable` of one column."""
    return _table_of([("values", values)])


def _is_pandas(data):
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "items")


def _stream_of(data):
    reader = _core.ArrowReader(data.__arrow_c_stream__())
    tables = []
    while (table := reader.next()) is not None:
        tables.append(table)
    # Of no rows at all the stream may give no batch; an empty column of each name stands for them.
    return tables or [_table_of((name, []) for name in _names_of(data))]


def _names_of(data):
    for attribute in ("column_names", "columns"):
        names = getattr(data, attribute, None)
        if names is not None and not callable(names):
            return [str(name) for name in names]
    return []


def _columns_of_rows(rows):
    """A row without a field has a missing value there; a field that no row has is no column."""
    names = {name: None for row in rows for name in row}
    return {name: [row.get(name) for row in rows] for name in names}


def _table_of(columns):
    table = _core.ColumnTable()
    for name, values in columns:
        _add(table, str(name), values)
    return table


def _add(table, name, values):
    if isinstance(values, (str, bytes, Mapping)) or numpy.isscalar(values):
        raise TypeError(f"column '{name}' is a {type(values).__name__}, not a sequence of values")
    if _is_pandas(values):
        _add_series(table, name, values)
    elif isinstance(values, numpy.ma.MaskedArray):
        table.add_objects(name, tuple(values.tolist()))
    elif isinstance(values, numpy.ndarray):
        _add_array(table, name, values)
    elif hasattr(values, "to_pylist"):
        table.add_objects(name, tuple(values.to_pylist()))
    elif hasattr(values, "to_list"):
        table.add_objects(name, tuple(values.to_list()))
    else:
        table.add_objects(name, tuple(values))


def _add_series(table, name, series):
    dtype = series.dtype
    if hasattr(dtype, "categories"):
        indices = numpy.ascontiguousarray(series.cat.codes.to_numpy())
        table.add_dictionary(name, indices, tuple(dtype.categories.tolist()))
    elif isinstance(dtype, numpy.dtype):
        _add_array(table, name, series.to_numpy())
    else:
        table.add_objects(name, tuple(series.to_numpy(dtype=object).tolist()))


def _add_array(table, name, array):
    if array.ndim != 1:
        raise TypeError(f"column '{name}' is an array of {array.ndim} dimensions; a column has one")
    kind = array.dtype.kind
    if kind == "b":
        table.add_booleans(name, numpy.ascontiguousarray(array))
    elif array.dtype == numpy.float16:
        table.add_numbers(name, array.astype(numpy.float32))
    elif kind in "iuf" and array.dtype.str[1:] in _NUMBERS:
        table.add_numbers(name, numpy.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")))
    elif kind in "OUS":
        table.add_objects(name, tuple(array.tolist()))
    else:
        raise TypeError(
            f"column '{name}' has the type {array.dtype}, for which there is no one text; convert it to text, "
            "written as it is in the files that the model is trained on"
        )
