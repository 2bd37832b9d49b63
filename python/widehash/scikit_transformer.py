"""A transformer from tables to sparse matrices for scikit-learn pipelines."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, List, Optional

import numpy
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .arguments import FilePath
from .encoding import Encoder, encoder_of_files
from .schema import make_schema
from .scikit_tables import cardinalities, checked_settings, counted, field_names, named, of_all_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class FourSplitTransformer(TransformerMixin, BaseEstimator):
    """Transforms tables of named columns to sparse matrices of four-split codes.

    Parameters
    ----------
    features : mapping, optional
        As `make_schema()` takes them. None makes every column of the table given to
        `fit()` a feature, with its number of distinct values as the cardinality. Values
        that first occur later are hashed to columns too.
    settings : mapping, optional
        Further keys of `make_schema()`. The label and the weight belong to `fit()` of
        the estimator that follows.
    tables : path, optional
        Folder of the tables that `widehash.fit()` or a LookupTablesWriter wrote, for
        features that are `exact` or `standardize`. None makes `fit()` count the values
        of its own table; the counts are then pickled with the transformer, and with
        `encoder_` alone.

    Attributes
    ----------
    encoder_ : Encoder
        Encodes the tables.
    n_features_in_ : int
        Number of fields that are read; for an array, its number of columns.
    feature_names_in_ : numpy.ndarray
        Names of those fields. Not set if X was an array.

    Notes
    -----
    X is a table, as `Encoder.encode()` takes it, or a two-dimensional array, whose
    columns are named x0, x1, ... The matrices are sparse, so
    `set_output(transform="pandas")` works only for a later step that makes them dense.

    Examples
    --------
    >>> make_pipeline(FourSplitTransformer(), LogisticRegression()).fit(frame, late)
    """

    def __init__(self, features: Optional[Mapping[str, Any]] = None, settings: Optional[Mapping[str, Any]] = None,
                 tables: Optional[FilePath] = None) -> None:
        self.features = features
        self.settings = settings
        self.tables = tables

    def fit(self, X: Any, y: Any = None) -> "FourSplitTransformer":
        """Choose the features, and count their values if the encoding needs it. `y` is ignored."""
        table = named(X)
        names = field_names(table)
        settings = checked_settings(self.settings)
        features = self.features if self.features is not None else cardinalities(table)
        schema = make_schema(features, **settings)
        counts_here = self.tables is None and schema.needs_tables
        encoder = encoder_of_files(schema, counted(schema, table)) if counts_here else Encoder(schema, self.tables)
        encoder.encode({str(name): () for name in names})  # raises if a field is missing, and names it
        self.encoder_ = encoder
        self.n_features_in_ = len(encoder.fields if table is X else table)
        if table is X:
            self.feature_names_in_ = numpy.asarray(encoder.fields, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def transform(self, X: Any) -> "csr_matrix":
        """Return a `scipy.sparse.csr_matrix` with a row for each row of X."""
        check_is_fitted(self)
        table = named(X)
        if table is not X and not hasattr(self, "feature_names_in_") and len(table) != self.n_features_in_:
            raise ValueError(f"X has {len(table)} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input")
        with of_all_rows():
            return self.encoder_.encode(table).csr()

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return a name for each column: its feature, and its position among the columns of the feature."""
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
        tags.transformer_tags.preserves_dtype = []  # always float32
        return tags
