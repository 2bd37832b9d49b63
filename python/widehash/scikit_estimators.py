"""Wide networks as scikit-learn estimators over tables in memory."""

from collections.abc import Mapping
from typing import Any, Optional, Sequence, Union

import numpy
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets

from .metrics import MetricsReport
from .scikit_fitting import PARAMETERS, Features, Rows, WideEstimator
from .scikit_tables import columns, named
from .scikit_targets import Classes, row_weights, target_column, target_name, target_numbers
from .training import Hidden


class WideClassifier(ClassifierMixin, WideEstimator):
    __doc__ = """Predicts classes from tables of named columns: a wide network over hashed values.

    >>> WideClassifier({"carrier": 20, "origin": 300, "hour": 24}).fit(frame, late).predict_proba(frame)

    Parameters
    ----------
    class_weight : mapping or "balanced", optional
        How much rows count by their class. A mapping gives classes their numbers; the others count
        once. None counts all rows the same.""" + PARAMETERS

    def __init__(self, features: Features = None, settings: Optional[Mapping[str, Any]] = None, *,
                 hidden: Hidden = (), activation: Optional[str] = None, epochs: int = 5, early_stop: int = 0,
                 validation_fraction: Optional[float] = None, batch_size: Optional[int] = None, optimizer: Optional[str] = None, learning_rate: Optional[float] = None,
                 l1: Optional[float] = None, l2: Optional[float] = None, class_weight: Any = None, seed: int = 1,
                 devices: str = "cpu", threads: Optional[int] = None) -> None:
        super().__init__(features, settings, hidden=hidden, activation=activation, epochs=epochs, early_stop=early_stop,
                         validation_fraction=validation_fraction, batch_size=batch_size,
                         optimizer=optimizer, learning_rate=learning_rate, l1=l1, l2=l2, seed=seed, devices=devices, threads=threads)
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None, valid: Optional[Sequence[Any]] = None) -> "WideClassifier":
        """Fit the model.

        Parameters
        ----------
        X : table or array
            The rows. See the class.
        y : array-like
            The class of each row, of any type.
        sample_weight : array-like, optional
            The weight of each row, at least 0. None weighs all rows the same.
        valid : (X, y) or (X, y, sample_weight), optional
            Further rows for validation after each epoch. The model is that of the best
            epoch.
        """
        values = target_column(y)
        check_classification_targets(values)
        known = Classes(numpy.unique(values))
        rows = Rows(columns(named(X)), known.labels_of(values), row_weights(sample_weight, len(values)), target_name(y))
        self._fit(X, known.label(), rows, self._valid(valid, known.labels_of, values, by_class=True), epochs=self.epochs, early_stop=self.early_stop,
                  class_weights=self._class_weights(known))
        self.classes_ = known.values
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> "WideClassifier":
        """Continue training with further rows, each seen once.

        The learning rate falls to 0 over the part. Unless `fit()` came before, the
        first call needs `features`, none of which may have to be counted first
        (`exact`, `standardize`), and all `classes`.
        """
        values = target_column(y)
        weights = row_weights(sample_weight, len(values))
        if isinstance(self.class_weight, str):
            raise ValueError(f"class_weight = {self.class_weight!r} needs all rows, but partial_fit() sees only a part; give a number for each class")
        if hasattr(self, "model_"):
            known = Classes(self.classes_)
            if classes is not None and not numpy.array_equal(numpy.unique(target_column(classes)), known.values):
                raise ValueError(f"classes = {classes!r} is not the same as on last call to partial_fit or fit, {known.values.tolist()}")
            # Without class weights, those of the model would be kept.
            weights_of_classes = self._class_weights(known) or (self.model_.class_weights and dict.fromkeys(known.names, 1))
            self._go_on(Rows(columns(self._like_fitted(X)), known.labels_of(values), weights), class_weights=weights_of_classes)
            return self
        if classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        self._require_parts()
        known = Classes(numpy.unique(target_column(classes)))
        self._fit(X, known.label(), Rows(columns(named(X)), known.labels_of(values), weights, target_name(y)), epochs=1, lr_decay="linear",
                  class_weights=self._class_weights(known))
        self.classes_ = known.values
        return self

    def predict_proba(self, X: Any) -> NDArray[numpy.float32]:
        """Return the probability of each class as float32[rows, classes], in the order of `classes_`."""
        found = self._outputs(X)
        return found if found.ndim == 2 else numpy.column_stack([1 - found, found])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most likely class of each row."""
        probabilities = self.predict_proba(X)
        # For two classes, a tie at one half goes to the second, as in `widehash evaluate`.
        likeliest = probabilities[:, 1] >= probabilities[:, 0] if probabilities.shape[1] == 2 else probabilities.argmax(axis=1)
        found: NDArray[Any] = self.classes_[likeliest.astype(numpy.intp)]
        return found

    def evaluate(self, X: Any, y: Any, sample_weight: Any = None, *, by: Union[str, Sequence[str]] = ()) -> MetricsReport:
        """Evaluate the model on labelled rows: log loss, AUC, calibration, each class, operating points.

        The metrics are those of `Model.evaluate()`. `by` names one or more columns of
        X; the rows of each of their values are also evaluated separately.
        """
        return self._judged(X, lambda values: Classes(self.classes_).labels_of(values), y, sample_weight, by)

    def _class_weights(self, known: Classes) -> Any:
        if self.class_weight is None or isinstance(self.class_weight, str):
            return self.class_weight
        if not isinstance(self.class_weight, Mapping):
            raise ValueError(f"class_weight = {self.class_weight!r}: give a mapping of class to number, or 'balanced'")
        name_of = dict(zip(known.values.tolist(), known.names))
        try:
            return {name_of[key]: weight for key, weight in self.class_weight.items()} or None
        except KeyError as error:
            raise ValueError(f"class_weight: {error.args[0]!r} is not among the classes of y, {known.values.tolist()}") from None


class WideRegressor(RegressorMixin, WideEstimator):
    __doc__ = """Predicts numbers from tables of named columns: a wide network over hashed values.

    >>> WideRegressor({"carrier": 20, "origin": 300, "hour": 24}).fit(frame, delay).predict(frame)

    Parameters
    ----------
    loss : {"mse", "poisson"}, default "mse"
        "mse" for least squares; "poisson" for counts and rates of 0 and above, whose logarithm is
        learned.""" + PARAMETERS

    def __init__(self, features: Features = None, settings: Optional[Mapping[str, Any]] = None, *, loss: str = "mse",
                 hidden: Hidden = (), activation: Optional[str] = None, epochs: int = 5, early_stop: int = 0,
                 validation_fraction: Optional[float] = None, batch_size: Optional[int] = None, optimizer: Optional[str] = None, learning_rate: Optional[float] = None,
                 l1: Optional[float] = None, l2: Optional[float] = None, seed: int = 1, devices: str = "cpu",
                 threads: Optional[int] = None) -> None:
        super().__init__(features, settings, hidden=hidden, activation=activation, epochs=epochs, early_stop=early_stop,
                         validation_fraction=validation_fraction, batch_size=batch_size,
                         optimizer=optimizer, learning_rate=learning_rate, l1=l1, l2=l2, seed=seed, devices=devices, threads=threads)
        self.loss = loss

    def fit(self, X: Any, y: Any, sample_weight: Any = None, valid: Optional[Sequence[Any]] = None) -> "WideRegressor":
        """Fit the model.

        Parameters
        ----------
        X : table or array
            The rows. See the class.
        y : array-like
            The number of each row.
        sample_weight : array-like, optional
            The weight of each row, at least 0. None weighs all rows the same.
        valid : (X, y) or (X, y, sample_weight), optional
            Further rows for validation after each epoch. The model is that of the best
            epoch.
        """
        values = target_numbers(y, self._checked_loss())
        rows = Rows(columns(named(X)), values, row_weights(sample_weight, len(values)), target_name(y))
        judges = self._valid(valid, lambda values: target_numbers(values, self.loss), values, by_class=False)
        self._fit(X, {}, rows, judges, epochs=self.epochs, early_stop=self.early_stop, loss=self._checked_loss())
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> "WideRegressor":
        """Continue training with further rows, each seen once.

        The learning rate falls to 0 over the part. Unless `fit()` came before, the
        first call needs `features`, none of which may have to be counted first
        (`exact`, `standardize`). The rows of that call determine the mean and the scale
        of what the network predicts.
        """
        values = target_numbers(y, self._checked_loss())
        weights = row_weights(sample_weight, len(values))
        if hasattr(self, "model_"):
            self._go_on(Rows(columns(self._like_fitted(X)), values, weights))
            return self
        self._require_parts()
        self._fit(X, {}, Rows(columns(named(X)), values, weights, target_name(y)), epochs=1, lr_decay="linear",
                  loss=self._checked_loss())
        return self

    def predict(self, X: Any) -> NDArray[numpy.float32]:
        """Return a number for each row."""
        return self._outputs(X)

    def evaluate(self, X: Any, y: Any, sample_weight: Any = None, *, by: Union[str, Sequence[str]] = ()) -> MetricsReport:
        """Evaluate the model on labelled rows: RMSE or Poisson deviance, R2, calibration.

        The metrics are those of `Model.evaluate()`. `by` names one or more columns of
        X; the rows of each of their values are also evaluated separately.
        """
        return self._judged(X, lambda values: target_numbers(values, self.loss), y, sample_weight, by)

    def _checked_loss(self) -> str:
        if self.loss not in ("mse", "poisson"):
            raise ValueError(f"loss = {self.loss!r}: must be 'mse' for numbers, or 'poisson' for counts and rates")
        return self.loss
