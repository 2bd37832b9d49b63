"""Integration with scikit-learn, which it requires: a transformer, and estimators over tables."""

from .scikit_estimators import WideClassifier, WideRegressor
from .scikit_transformer import FourSplitTransformer

__all__ = ["FourSplitTransformer", "WideClassifier", "WideRegressor"]
