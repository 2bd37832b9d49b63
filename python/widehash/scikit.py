"""Within scikit-learn: a transformer for its pipelines, and estimators over tables. Needs scikit-learn."""

from .scikit_estimators import WideClassifier, WideRegressor
from .scikit_transformer import FourSplitTransformer

__all__ = ["FourSplitTransformer", "WideClassifier", "WideRegressor"]
