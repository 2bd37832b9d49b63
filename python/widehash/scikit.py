"""A transformer for scikit-learn's pipelines; needs scikit-learn."""

import contextlib
import os
import re
import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Set

import numpy
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._core import Schema, hash_four_split
from .arguments import FilePath
from .columns import column_of, is_table, names_of
from .encoding import Encoder, encoder_of_files
from .errors import ConfigError, DataError, ShapeError
from .schema import make_schema
from .writing import LookupTablesWriter

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class FourSplitTransformer(TransformerMixin, BaseEstimator):
    """Tables of named columns to sparse matrices of four-split codes.

        make_pipeline(FourSplitTransformer(), LogisticRegression()).fit(frame, late)

    features  as make_schema() takes them. None: every column of the table that fit() is given is a feature, with as many values as it
              holds there; values that come later find their columns too
    settings  further keys of make_schema(), as a mapping; a label and a weight are for fit() of what comes behind the transformer
    tables    folder of the tables that widehash.fit() or a LookupTablesWriter wrote, where a feature is `exact` or `standardize`. None:
              fit() counts the values of its own table, and what it found is pickled with the transformer, or
              with its `encoder_` alone

    A table is what Encoder.encode() takes, or an array of two dimensions, whose columns are named x0, x1, ... The matrices are
    sparse, so set_output(transform="pandas") has to wait for a step that makes them dense.

    After fit(): `encoder_`, the Encoder; `n_features_in_`, how many fields it looks at, and, unless they were
    those of an array, `feature_names_in_`, their names.
    """

    def __init__(self, features: Optional[Mapping[str, Any]] = None, settings: Optional[Mapping[str, Any]] = None,
                 tables: Optional[FilePath] = None) -> None:
        self.features = features
        self.settings = settings
        self.tables = tables

    def fit(self, X: Any, y: Any = None) -> "FourSplitTransformer":
        table = _named(X)
        names = _names(table)
        settings = _checked_settings(self.settings)
        features = self.features if self.features is not None else _cardinalities(table)
        schema = make_schema(features, **settings)
        counts_here = self.tables is None and _needs_tables(features)
        encoder = encoder_of_files(schema, _counted(schema, table)) if counts_here else Encoder(schema, self.tables)
        encoder.encode({str(name): () for name in names})  # names a field that is not there
        self.encoder_ = encoder
        self.n_features_in_ = len(encoder.fields if table is X else table)
        if table is X:
            self.feature_names_in_ = numpy.asarray(encoder.fields, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def transform(self, X: Any) -> "csr_matrix":
        """A scipy.sparse.csr_matrix with a row for each of X."""
        check_is_fitted(self)
        table = _named(X)
        if table is not X and not hasattr(self, "feature_names_in_") and len(table) != self.n_features_in_:
            raise ValueError(f"X has {len(table)} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input")
        with _of_all_rows():
            return self.encoder_.encode(table).csr()

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """A name for each column: that of its feature, and its place among that one's columns."""
        check_is_fitted(self)
        if input_features is not None and list(input_features) != self._names_in():
            raise ValueError("input_features is not equal to feature_names_in_")
        names = []
        for feature in self.encoder_.schema.features:
            names += [f"{feature}_{place}" for place in range(len(self.encoder_.columns_of(feature)))]
        return numpy.asarray(names, dtype=object)

    def _names_in(self) -> List[str]:
        known = getattr(self, "feature_names_in_", None)
        return [f"x{i}" for i in range(self.n_features_in_)] if known is None else list(known)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []  # float32 of whatever is hashed
        return tags


def _checked_settings(settings: Any) -> Mapping[str, Any]:
    if settings is None:
        return {}
    if not isinstance(settings, Mapping):
        raise TypeError(f"settings are a mapping of further keys of make_schema(), or None, not a {type(settings).__name__}")
    for key in settings:
        if not isinstance(key, str):
            raise TypeError(f"settings: {key!r} is no key of make_schema(); a str is needed, not {type(key).__name__}")
    for key in ("label", "weight"):
        if settings.get(key) is not None:
            raise ConfigError(f"settings: a transformer has no {key}; give the {key}s of the rows to fit() beside X")
    if "features" in settings:
        raise ConfigError("settings: `features` are an argument of their own, beside `settings`")
    return settings


def _named(X: Any) -> Any:
    """X itself, or the columns of an array by their places."""
    if hasattr(X, "tocsr"):
        raise TypeError("sparse input is not supported: FourSplitTransformer makes sparse matrices of tables")
    array = numpy.asarray(X) if hasattr(X, "__array__") and not is_table(X) else X
    if not isinstance(array, numpy.ndarray) or array.dtype.names:
        return X
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead. Reshape your data, or give a table of named columns")
    if array.shape[1] == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    return {f"x{i}": array[:, i] for i in range(array.shape[1])}


def _names(table: Any) -> List[Any]:
    """The fields that a table has, as it names them."""
    if isinstance(table, (list, tuple)) and all(isinstance(row, Mapping) for row in table):
        return list(dict.fromkeys(name for row in table for name in row))
    if isinstance(table, Mapping):
        return list(table)
    if isinstance(table, numpy.ndarray):
        return list(table.dtype.names or ())
    has_names = any(hasattr(table, attribute) for attribute in ("column_names", "columns", "schema"))
    if hasattr(table, "collect") or not is_table(table) or not has_names:
        hint = "; call .collect() first" if hasattr(table, "collect") else ""
        raise TypeError(f"FourSplitTransformer takes tables of named columns, such as data frames, or arrays of two dimensions, not "
                        f"{type(table).__name__}{hint}")
    return names_of(table)


def _needs_tables(features: Mapping[str, Any]) -> bool:
    return any(isinstance(keys, Mapping) and (keys.get("encoding") == "exact" or keys.get("transform") == "standardize")
               for keys in features.values())


@contextlib.contextmanager
def _of_all_rows() -> Iterator[None]:
    """Bad rows can be left out elsewhere; a transformer has a row for each that it is given."""
    try:
        yield
    except DataError as error:
        advice = re.sub(r"; mend the row, or .* max_bad_rows=N", "; mend the row", error.message)
        raise DataError(advice, error.path, error.row) from None


def _counted(schema: Schema, table: Any) -> Dict[str, bytes]:
    """The files of the lookup tables of a table."""
    with tempfile.TemporaryDirectory(prefix="widehash-") as folder:
        place = os.path.join(folder, "tables")
        with _of_all_rows(), LookupTablesWriter(schema, place) as writer:
            writer.append(table)
        files = {}
        for name in sorted(os.listdir(place)):
            with open(os.path.join(place, name), "rb") as file:
                files[name] = file.read()
        return files


def _cardinalities(table: Any) -> Dict[str, int]:
    """How many values each column holds, by their hashes."""
    names = _names(table)
    if not names:
        raise ConfigError("the table has no columns to make features of; fit() needs some")
    known: Set[str] = set()
    for name in map(str, names):
        if name in known:
            raise ShapeError(f"a table has two columns named '{name}'")
        known.add(name)
    if isinstance(table, (list, tuple)):
        columns = ((name, [row.get(name) for row in table]) for name in names)
    elif hasattr(table, "__arrow_c_stream__") and callable(getattr(table, "project", None)):  # a query of DuckDB, whose columns are queries
        rows = table.to_arrow_table() if hasattr(table, "to_arrow_table") else table.arrow()
        columns = ((name, rows[name]) for name in names)
    elif hasattr(table, "items"):  # also names that are no texts, of pandas
        columns = table.items()
    elif not hasattr(table, "__getitem__"):
        raise TypeError(f"a {type(table).__name__} is read only once, so its values cannot be counted before they are encoded; give a table of "
                        "all its rows, or `features`")
    else:
        columns = ((name, table[name]) for name in names)
    return {str(name): _cardinality(str(name), column) for name, column in columns}


def _cardinality(name: str, column: Any) -> int:
    try:
        hashes, _ = hash_four_split(column_of(column, name), 1, 0)
    except ConfigError as error:
        raise ConfigError(f"column '{name}' cannot be made a feature without being told how; give `features`. {error}") from None
    if len(hashes) == 0:
        raise ConfigError(f"column '{name}' has no rows, so its values cannot be counted; fit() needs some, or `features`")
    return len(numpy.unique(hashes))
