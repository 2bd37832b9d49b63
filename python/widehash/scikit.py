"""A transformer for scikit-learn's pipelines; needs scikit-learn."""

from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional

import numpy
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .encoding import Encoder, hash_values
from .errors import ConfigError
from .schema import make_schema

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class FourSplitTransformer(TransformerMixin, BaseEstimator):
    """Tables of named columns to sparse matrices of four-split codes.

        make_pipeline(FourSplitTransformer(), LogisticRegression()).fit(frame, late)

    `features` is as make_schema() takes it. None: every column of the table that fit() is given is a feature, with as many values as it
    holds there; values that come later find their columns too. `settings` are further keys of make_schema(), as a dict.

    After fit(): `encoder_`, the Encoder, and `feature_names_in_`, its fields.
    """

    def __init__(self, features: Optional[Mapping[str, Any]] = None, settings: Optional[Dict[str, Any]] = None) -> None:
        self.features = features
        self.settings = settings

    def fit(self, X: Any, y: Any = None) -> "FourSplitTransformer":
        features = self.features if self.features is not None else _cardinalities(X)
        self.encoder_ = Encoder(make_schema(features, **(self.settings or {})))
        self.feature_names_in_ = numpy.asarray(self.encoder_.fields, dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        return self

    def transform(self, X: Any) -> "csr_matrix":
        """A scipy.sparse.csr_matrix with a row for each of X."""
        check_is_fitted(self)
        return self.encoder_.encode(X).csr()

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """A name for each column: that of its feature, and its place among that one's columns."""
        check_is_fitted(self)
        names = []
        for feature in self.encoder_.schema.features:
            names += [f"{feature}_{place}" for place in range(len(self.encoder_.columns_of(feature)))]
        return numpy.asarray(names, dtype=object)


def _cardinalities(table: Any) -> Dict[str, int]:
    """How many values each column holds, by their hashes."""
    names = next((getattr(table, kind) for kind in ("column_names", "columns") if hasattr(table, kind)), None)
    if names is None:
        if not hasattr(table, "keys"):
            raise TypeError(f"FourSplitTransformer takes tables of named columns, such as data frames, not {type(table).__name__}; "
                            "with `features` also lists of mappings")
        names = table.keys()
    return {str(name): _cardinality(str(name), table[name]) for name in names}


def _cardinality(name: str, column: Any) -> int:
    try:
        hashes, _ = hash_values(column, cardinality=1)
    except ConfigError as error:
        raise ConfigError(f"column '{name}' cannot be made a feature without being told how; give `features`. {error}") from None
    return max(1, len(numpy.unique(hashes)))
