"""Wide networks as estimators of scikit-learn, over tables in memory."""

import os
import tempfile
from collections.abc import Mapping
from typing import Any, Dict, List, Optional

import numpy
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_is_fitted, column_or_1d

from ._core import Schema
from .arguments import FilePath, fixed_path
from .encoding import Encoder, encoder_of_files
from .errors import ConfigError, FileError
from .ingest import inspect
from .model import Model
from .schema import make_schema, parse_schema, settings_text
from .scikit_tables import checked_settings, columns, counted, named, of_all_rows
from .training import Hidden, class_name, train
from .writing import DatasetWriter

_PARAMETERS = """
    features       as make_schema() takes them. None: what inspect() proposes for the table that fit() is given
    settings       further keys of make_schema(), as a mapping
    hidden         hidden layers: () for the linear wide model, "auto", or sizes, such as [32, 16]
    activation, batch_size, optimizer, learning_rate, l1, l2
                   as train() has them; None: chosen as there
    epochs         times every row is seen
    seed           of the first weights and of the order of rows
    devices        that train: "cpu", or "cuda" for every GPU; predictions are made on the CPU
    threads        to use; None for all. The model never depends on it

    A table X is what Encoder.encode() takes and can be read twice, or an array of two dimensions, whose columns are named x0, x1, ...
    fit() writes its encoded rows into a temporary folder (4 to 16 bytes a value) and trains on them as train() does. What `exact` and
    `standardize` have to know of the rows is counted there too.

    After fit(): `model_`, a widehash.Model; `report_`, the TrainReport; `n_features_in_` and, unless they were those of an array,
    `feature_names_in_`. It is pickled with all it needs; save() writes the model for Model() and the program."""


class _WideEstimator(BaseEstimator):
    """What both have in common."""

    def __init__(self, features: Optional[Mapping[str, Any]] = None, settings: Optional[Mapping[str, Any]] = None, *,
                 hidden: Hidden = (), activation: Optional[str] = None, epochs: int = 5, batch_size: Optional[int] = None,
                 optimizer: Optional[str] = None, learning_rate: Optional[float] = None, l1: Optional[float] = None,
                 l2: Optional[float] = None, seed: int = 1, devices: str = "cpu", threads: Optional[int] = None) -> None:
        self.features = features
        self.settings = settings
        self.hidden = hidden
        self.activation = activation
        self.epochs = epochs
        self.batch_size = batch_size
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.l1 = l1
        self.l2 = l2
        self.seed = seed
        self.devices = devices
        self.threads = threads

    def save(self, model: FilePath, tables: Optional[FilePath] = None) -> None:
        """Writes the model for Model() and `widehash predict`, in place of a file that is there, and its tables into a new
        folder. Raises ConfigError where the model needs tables and none were asked for, FileError."""
        check_is_fitted(self)
        if self._files and tables is None:
            raise ConfigError("save: the encoding needs its tables beside the model; name a folder for them, `tables`")
        place = os.fsdecode(fixed_path("model", model))
        try:
            if tables is not None:
                folder = os.fsdecode(fixed_path("tables", tables))
                os.mkdir(folder)
                _write_files(folder, self._files)
            unfinished = place + ".tmp"
            _write_files(os.path.dirname(unfinished), {os.path.basename(unfinished): self._content})
            os.replace(unfinished, place)
        except OSError as error:
            raise FileError(f"{error.filename}: {error.strerror}; save() writes there", error.filename, error.errno) from None

    def _fit(self, X: Any, label: Mapping[str, Any], labels: Any, sample_weight: Any, **training: Any) -> None:
        """`label` has the keys of a schema's label but for its field; `labels` are the values of that."""
        table = named(X)
        rows = columns(table)
        names = list(rows)
        settings = dict(checked_settings(self.settings))
        settings["label"] = {"field": _unused("y", names), **label}
        if sample_weight is not None:
            settings["weight"] = _unused("weight", names)
        schema = self._schema(rows, settings)
        rows[settings["label"]["field"]] = labels
        if sample_weight is not None:
            rows[settings["weight"]] = sample_weight
        self._files = counted(schema, rows) if schema.needs_tables else {}
        with tempfile.TemporaryDirectory(prefix="widehash-") as folder:
            dataset, model = os.path.join(folder, "rows"), os.path.join(folder, "model")
            encoder = encoder_of_files(schema, self._files) if self._files else Encoder(schema)
            with of_all_rows(), DatasetWriter(encoder, dataset) as writer:
                writer.append(rows, threads=self.threads)
            self.report_ = train(
                dataset, model, hidden=_hidden(self.hidden), activation=self.activation, epochs=self.epochs, batch_size=self.batch_size,
                optimizer=self.optimizer, learning_rate=self.learning_rate, l1=self.l1, l2=self.l2, seed=self.seed,
                devices=self.devices, threads=self.threads, **training)
            with open(model, "rb") as file:
                self._content = file.read()
        self.model_ = self._opened()
        self.n_features_in_ = len(names)
        if table is X:
            self.feature_names_in_ = numpy.asarray(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _schema(self, rows: Dict[str, Any], settings: Dict[str, Any]) -> Schema:
        if self.features is not None:
            return make_schema(self.features, **settings)
        proposed = inspect(rows, threads=self.threads).toml
        start = proposed.find("[[feature]]")
        if start < 0:
            raise ConfigError("no column can be made a feature; give `features`")
        return parse_schema(settings_text(settings) + proposed[start:], "the proposed schema")

    def _opened(self) -> Model:
        with tempfile.TemporaryDirectory(prefix="widehash-") as folder:
            model, tables = os.path.join(folder, "model"), os.path.join(folder, "tables")
            os.mkdir(tables)
            _write_files(tables, self._files)
            _write_files(folder, {"model": self._content})
            return Model(model, tables if self._files else None)

    def _outputs(self, X: Any) -> NDArray[numpy.float32]:
        check_is_fitted(self)
        table = named(X)
        if table is not X and not hasattr(self, "feature_names_in_") and len(table) != self.n_features_in_:
            raise ValueError(f"X has {len(table)} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input")
        with of_all_rows():
            return self.model_.predict(table, threads=self.threads)

    def __getstate__(self) -> Dict[str, Any]:
        # The model as a file; a Model names where its own was.
        state: Dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "model_"}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_content" in state:
            self.model_ = self._opened()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = tags.input_tags.allow_nan = True
        return tags


class WideClassifier(ClassifierMixin, _WideEstimator):
    __doc__ = """Tables of named columns to chances of classes: a wide network over hashed values.

        WideClassifier({"carrier": 20, "origin": 300, "hour": 24}).fit(frame, late).predict_proba(frame)

    class_weight   what rows count for by their class: a mapping of class to number, where others count for 1, or "balanced"; None: 1""" + _PARAMETERS

    def __init__(self, features: Optional[Mapping[str, Any]] = None, settings: Optional[Mapping[str, Any]] = None, *,
                 hidden: Hidden = (), activation: Optional[str] = None, epochs: int = 5, batch_size: Optional[int] = None,
                 optimizer: Optional[str] = None, learning_rate: Optional[float] = None, l1: Optional[float] = None,
                 l2: Optional[float] = None, class_weight: Any = None, seed: int = 1, devices: str = "cpu",
                 threads: Optional[int] = None) -> None:
        super().__init__(features, settings, hidden=hidden, activation=activation, epochs=epochs, batch_size=batch_size, optimizer=optimizer,
                         learning_rate=learning_rate, l1=l1, l2=l2, seed=seed, devices=devices, threads=threads)
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "WideClassifier":
        """`y` has a class for each row, of any type; `sample_weight` a number of at least 0, or is None where rows count the same."""
        values = _column(y)
        check_classification_targets(values)
        known, numbers = numpy.unique(values, return_inverse=True)
        if len(known) < 2:
            raise ValueError(f"y has one class only, {known[0]!r}; a classifier needs two or more" if len(known) else "y has no rows")
        names = _class_names(known)
        label = {"positive": [names[1]], "negative": [names[0]]} if len(known) == 2 else {"classes": names}
        self._fit(X, label, numpy.array(names, dtype=object)[numbers], _weights(sample_weight, len(values)),
                  class_weights=self._class_weights(known, names))
        self.classes_ = known
        return self

    def predict_proba(self, X: Any) -> NDArray[numpy.float32]:
        """The chance of each class, in the order of `classes_`: float32[rows, classes]."""
        found = self._outputs(X)
        return found if found.ndim == 2 else numpy.column_stack([1 - found, found])

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row."""
        chances = self.predict_proba(X)
        # Of two classes at one half the second, as `widehash evaluate` counts it.
        likeliest = chances[:, 1] >= chances[:, 0] if chances.shape[1] == 2 else chances.argmax(axis=1)
        found: NDArray[Any] = self.classes_[likeliest.astype(numpy.intp)]
        return found

    def _class_weights(self, known: NDArray[Any], names: List[str]) -> Any:
        if not isinstance(self.class_weight, Mapping):
            return self.class_weight
        name_of = dict(zip(known.tolist(), names))
        try:
            return {name_of[key]: weight for key, weight in self.class_weight.items()} or None
        except KeyError as error:
            raise ValueError(f"class_weight: {error.args[0]!r} is not among the classes of y, {known.tolist()}") from None


class WideRegressor(RegressorMixin, _WideEstimator):
    __doc__ = """Tables of named columns to numbers: a wide network over hashed values, by least squares.

        WideRegressor({"carrier": 20, "origin": 300, "hour": 24}).fit(frame, delay).predict(frame)
""" + _PARAMETERS

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "WideRegressor":
        """`y` has a number for each row; `sample_weight` one of at least 0, or is None where rows count the same."""
        values = _column(y).astype(numpy.float64)
        self._fit(X, {}, values, _weights(sample_weight, len(values)), loss="mse")
        return self

    def predict(self, X: Any) -> NDArray[numpy.float32]:
        """A number for each row."""
        return self._outputs(X)


def _column(y: Any) -> NDArray[Any]:
    """y as an array of one dimension, all of it there."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    values: NDArray[Any] = column_or_1d(numpy.asarray(y), warn=True)
    if values.dtype.kind in "OfU":
        assert_all_finite(values, input_name="y")
    return values


def _weights(sample_weight: Any, num_rows: int) -> Optional[NDArray[numpy.float64]]:
    if sample_weight is None:
        return None
    weights = numpy.asarray(sample_weight, dtype=numpy.float64)
    if weights.shape != (num_rows,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(num_rows,)}!")
    if not weights.any():
        raise ValueError("sample_weight is zero for every row, so there is nothing to train on")
    return weights


def _class_names(known: NDArray[Any]) -> List[str]:
    """What the label has for each: their texts, or, where these are none or the same, their numbers."""
    try:
        names = [class_name(value).decode() for value in known.tolist()]
    except (TypeError, UnicodeDecodeError):
        names = []
    is_named = all(name and name == name.strip() for name in names) and len(set(names)) == len(known)
    return names if is_named else [str(number) for number in range(len(known))]


def _hidden(hidden: Hidden) -> Hidden:
    return list(hidden) if isinstance(hidden, (tuple, list)) else hidden


def _unused(name: str, names: List[str]) -> str:
    while name in names:
        name += "_"
    return name


def _write_files(folder: str, files: Dict[str, bytes]) -> None:
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
