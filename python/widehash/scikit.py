"""Integration with scikit-learn: a transformer for pipelines, and estimators over tables. Requires
scikit-learn.
"""

from .scikit_estimators import WideClassifier, WideRegressor
from .scikit_transformer import FourSplitTransformer

__all__ = ["FourSplitTransformer", "WideClassifier", "WideRegressor"]
