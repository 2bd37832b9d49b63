"""The common part of the scikit-learn estimators: from a table in memory to a dataset to a model."""

import os
import shutil
from collections.abc import Mapping
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Union

import numpy
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._core import Schema
from .arguments import FilePath, fixed_path
from .batch import Batch
from .encoding import Encoder, encoder_of_files
from .errors import ConfigError, FileError
from .metrics import MetricsReport
from .model import Model
from .schema import make_schema, parse_schema
from .scikit_proposal import proposal, unused
from .scikit_tables import checked_settings, columns, counted, named, of_all_rows
from .scikit_targets import held_out, row_weights, target_column
from .scratch import scratch_folder
from .training import Hidden, train
from .writing import DatasetWriter

PARAMETERS = """
    features : mapping or list of str, optional
        As `make_schema()` takes them, or a list of columns of the table given to `fit()`. None uses
        all columns, except text columns with a different value in nearly every row, which are left
        out with a warning. A list or None makes the features that `inspect()` proposes, with two
        differences: numbers with fractions also become standardized numeric features, and columns of
        a categorical type are only hashed. A column whose values have no text (decimals) raises
        ConfigError.
    settings : mapping, optional
        Further keys of `make_schema()`.
    hidden : "auto" or list of int, default ()
        Hidden layers: () for the linear wide model, "auto", or sizes, such as [32, 16].
    activation, batch_size, optimizer, learning_rate, l1, l2 : optional
        As in `train()`. None chooses them as `train()` does.
    epochs : int, default 5
        Number of times that every row is seen.
    early_stop : int, default 0
        Stop after this many epochs without a better loss on the validation rows, which are `valid` of
        `fit()` or the `validation_fraction`; 0 for never.
    validation_fraction : float, optional
        Share of the rows of `fit()` to leave out of training and use for validation after each epoch.
        A classifier takes the same share of each class. The model is that of the best epoch. If
        `fit()` is given `valid`, those rows are used instead. None leaves out no rows.
    seed : int, default 1
        Seed of the initial weights, the order of rows, and the choice of the rows that are left out.
    devices : str, default "cpu"
        Devices that train: "cpu", or "cuda" for every GPU. Predictions are made on the CPU.
    threads : int, optional
        Number of threads; None for all. The model does not depend on it.

    Attributes
    ----------
    model_ : widehash.Model
        The trained model.
    report_ : widehash.TrainReport
        The report of the training.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : numpy.ndarray
        Names of the columns of X. Not set if X was an array.

    Notes
    -----
    X is a table, as `Encoder.encode()` takes it, that can be read twice, or a two-dimensional array, whose
    columns are named x0, x1, ... `fit()` writes the encoded rows to a temporary folder (1 to 16 bytes a
    value) and trains on them as `train()` does. The counts that `exact` and `standardize` need are made
    there too.

    A fitted estimator is pickled with everything that it needs. `save()` writes the model for `Model()`
    and the program.
    """


Features = Union[Mapping[str, Any], Sequence[str], None]


class Rows(NamedTuple):
    """Rows to fit a model to, or to validate it with."""

    columns: Dict[str, Any]
    labels: NDArray[Any]
    weights: Optional[NDArray[numpy.float64]]
    name: Optional[str] = None    # name of y, if it has one


# Further rows for validation, or a mask of the rows to hold out for it.
_Valid = Union[Rows, NDArray[numpy.bool_], None]


class _Fields(NamedTuple):
    """Names of the label and weight fields in the schema."""

    label: str
    weight: Optional[str]
    has_sample_weight: bool    # whether training rows have weights; they weigh 1 if only validation rows do

    def table_of(self, rows: Rows) -> Dict[str, Any]:
        # Columns of different lengths are reported when they are encoded.
        lengths = {len(column) for column in rows.columns.values() if hasattr(column, "__len__")}
        if len(lengths) == 1 and len(rows.labels) not in lengths:
            raise ValueError(f"X has {lengths.pop()} rows, but y has {len(rows.labels)}")
        table = {**rows.columns, self.label: rows.labels}
        if self.weight is not None:
            table[self.weight] = numpy.ones(len(rows.labels)) if rows.weights is None else rows.weights
        return table


class WideEstimator(BaseEstimator):
    """Base class of WideClassifier and WideRegressor."""

    def __init__(self, features: Features = None, settings: Optional[Mapping[str, Any]] = None, *,
                 hidden: Hidden = (), activation: Optional[str] = None, epochs: int = 5, early_stop: int = 0,
                 validation_fraction: Optional[float] = None, batch_size: Optional[int] = None, optimizer: Optional[str] = None, learning_rate: Optional[float] = None,
                 l1: Optional[float] = None, l2: Optional[float] = None, seed: int = 1, devices: str = "cpu",
                 threads: Optional[int] = None) -> None:
        self.features = features
        self.settings = settings
        self.hidden = hidden
        self.activation = activation
        self.epochs = epochs
        self.early_stop = early_stop
        self.validation_fraction = validation_fraction
        self.batch_size = batch_size
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.l1 = l1
        self.l2 = l2
        self.seed = seed
        self.devices = devices
        self.threads = threads

    def save(self, model: FilePath, tables: Optional[FilePath] = None) -> None:
        """Write the model for `Model()` and `widehash predict`. The label is named after y, or "y".

        Parameters
        ----------
        model : path
            File for the model. An existing file is replaced.
        tables : path, optional
            New folder for the lookup tables. Required if the model needs them.

        Raises
        ------
        ConfigError
            If the model needs tables and `tables` is None.
        FileError
            If a file cannot be written. Nothing is left behind.
        """
        check_is_fitted(self)
        if self._files and tables is None:
            raise ConfigError("save: the encoding needs its tables next to the model; name a folder for them with `tables`")
        if not self._files or tables is None:
            _core.write_file(fixed_path("model", model), self._content)
            return
        folder = os.fsdecode(fixed_path("tables", tables))
        try:
            os.mkdir(folder)
        except OSError as error:
            raise FileError(f"{folder}: cannot create a folder for the tables: {error.strerror}", folder, error.errno) from None
        try:
            for name, content in self._files.items():
                _core.write_file(os.fsencode(os.path.join(folder, name)), content)
            _core.write_file(fixed_path("model", model), self._content)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _judged(self, X: Any, labels_of: Callable[[NDArray[Any]], NDArray[Any]], y: Any, sample_weight: Any, by: Union[str, Sequence[str]]) -> MetricsReport:
        check_is_fitted(self)
        values = target_column(y)
        weights = row_weights(sample_weight, len(values))
        if weights is not None and self._fields.weight is None:
            raise ValueError("the rows given to fit() had no weights, so the model has no field for them; leave sample_weight out, or fit with it")
        rows = Rows(columns(self._like_fitted(X)), labels_of(values), weights)
        for name in [by] if isinstance(by, str) else by:
            if name in rows.columns and name in (self._fields.label, self._fields.weight):
                raise ConfigError(f"by: the model's own field for the label or the weights is also named {name!r}; rename this column of X")
        table = self._fields.table_of(rows)
        return self.model_.evaluate(table, by=by, threads=self.threads)

    def _fit(self, X: Any, label: Mapping[str, Any], rows: Rows, valid: _Valid = None, **training: Any) -> None:
        """Train a new model.

        `label` has the keys of the schema's label except its field, whose values are in
        `rows`.
        """
        names = [*rows.columns, *_named_fields(self.features)]
        settings = dict(checked_settings(self.settings))
        is_weighted = rows.weights is not None
        is_judged_weighted = isinstance(valid, Rows) and valid.weights is not None
        label_field = unused(rows.name or "y", names)
        weight_field = unused("weight", [*names, label_field]) if is_weighted or is_judged_weighted else None
        fields = _Fields(label_field, weight_field, is_weighted)
        settings["label"] = {"field": fields.label, **label}
        if fields.weight is not None:
            settings["weight"] = fields.weight
        given = _given(self.features)
        if given is None:
            chosen = rows.columns if self.features is None else _chosen(rows.columns, self.features)
            schema = parse_schema(proposal(chosen, settings, self.threads, are_chosen=self.features is not None), "the schema of `features` and `settings`")
        else:
            schema = make_schema(given, **settings)
        files = counted(schema, fields.table_of(rows)) if schema.needs_tables else {}
        self._train(schema, files, fields, rows, valid, hidden=_hidden(self.hidden), activation=self.activation, **training)
        self.n_features_in_ = len(rows.columns)
        if named(X) is X:
            self.feature_names_in_ = numpy.asarray(list(rows.columns), dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _valid(self, valid: Optional[Sequence[Any]], labels_of: Callable[[NDArray[Any]], NDArray[Any]], targets: NDArray[Any],
               by_class: bool) -> _Valid:
        if valid is not None:
            return _valid_rows(valid, labels_of)
        if self.validation_fraction is None:
            if self.early_stop:
                raise ConfigError("early_stop needs validation rows: give fit() `valid`, or the estimator a `validation_fraction`")
            return None
        return held_out(targets, self.validation_fraction, self.seed, by_class)

    def _require_parts(self) -> None:
        """Check that the schema does not depend on rows that are yet to come."""
        given = _given(self.features)
        if given is None:
            raise ConfigError("partial_fit: a part does not show how many values the columns hold; give `features` as a mapping")
        if make_schema(given, **checked_settings(self.settings)).needs_tables:
            raise ConfigError("partial_fit: `exact` and `standardize` are counted over all rows; fit() counts them")

    def _go_on(self, rows: Rows, **training: Any) -> None:
        """Continue from the current model with further rows of its schema."""
        if (rows.weights is not None) != self._fields.has_sample_weight:
            raise ValueError("sample_weight must be given for all parts or for none; start over with fit()")
        with scratch_folder() as folder:
            start = os.path.join(folder, "model")
            with open(start, "wb") as file:
                file.write(self._content)
            self._train(self.model_.schema, self._files, self._fields, rows, None, epochs=1, lr_decay="linear", from_model=start, **training)

    def _train(self, schema: Schema, files: Dict[str, bytes], fields: "_Fields", rows: Rows, valid: _Valid,
               **training: Any) -> None:
        encoder = encoder_of_files(schema, files) if files else Encoder(schema)
        with scratch_folder() as folder:
            def written(name: str, part: Union[Rows, Batch]) -> str:
                place = os.path.join(folder, name)
                with of_all_rows(), DatasetWriter(encoder, place) as writer:
                    writer.append(part if isinstance(part, Batch) else fields.table_of(part), threads=self.threads)
                return place

            seen: Union[Rows, Batch] = rows
            judges: Union[Rows, Batch, None]
            if isinstance(valid, numpy.ndarray):
                with of_all_rows():
                    batch = encoder.encode(fields.table_of(rows), threads=self.threads)
                seen, judges = batch[~valid], batch[valid]
            else:
                judges = valid
            model = os.path.join(folder, "model")
            report = train(
                written("rows", seen), model, valid=None if judges is None else written("valid", judges), batch_size=self.batch_size,
                optimizer=self.optimizer, learning_rate=self.learning_rate, l1=self.l1, l2=self.l2, seed=self.seed,
                devices=self.devices, threads=self.threads, **training)
            with open(model, "rb") as file:
                content = file.read()
        # Set last, so that a failure leaves the estimator as it was.
        self.model_, self.report_, self._content, self._files, self._fields = _opened(content, files), report, content, files, fields

    def _like_fitted(self, X: Any) -> Any:
        """Return X as a table. Raises ValueError for an array with another number of columns than before."""
        table = named(X)
        if table is not X and not hasattr(self, "feature_names_in_") and len(table) != self.n_features_in_:
            raise ValueError(f"X has {len(table)} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input")
        return table

    def _outputs(self, X: Any) -> NDArray[numpy.float32]:
        check_is_fitted(self)
        with of_all_rows():
            return self.model_.predict(self._like_fitted(X), threads=self.threads)

    def __getstate__(self) -> Dict[str, Any]:
        # `_content` holds the model file. Pickling `model_` would refer to the path of a removed file.
        state: Dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "model_"}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_content" in state:
            self.model_ = _opened(self._content, self._files)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = tags.input_tags.allow_nan = True
        return tags


def _valid_rows(valid: Sequence[Any], labels_of: Callable[[NDArray[Any]], NDArray[Any]]) -> Rows:
    if not isinstance(valid, (tuple, list)) or len(valid) not in (2, 3):
        raise TypeError(f"valid must be (X, y) or (X, y, sample_weight), not a {type(valid).__name__}")
    values = target_column(valid[1])
    if not len(values):
        raise ValueError("valid has no rows")
    return Rows(columns(named(valid[0])), labels_of(values), row_weights(valid[2] if len(valid) == 3 else None, len(values)))


def _hidden(hidden: Hidden) -> Hidden:
    return list(hidden) if isinstance(hidden, (tuple, list)) else hidden


def _given(features: Features) -> Any:
    """Return features as `make_schema()` takes them; None if they are to be proposed."""
    return features if features is None or isinstance(features, Mapping) else None


def _chosen(columns_of: Dict[str, Any], names: Any) -> Dict[str, Any]:
    names = _list_of_names(names)
    if not names:
        raise ConfigError("features names no columns; None takes all of them")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"features = {names!r}: must be a list of column names or a mapping")
        if name not in columns_of:
            raise ConfigError(f"features: X has no column {name!r}; its columns are: {', '.join(columns_of)}")
    return {name: columns_of[name] for name in names}


def _list_of_names(names: Any) -> List[Any]:
    """Return names as a list, for example from the columns of a data frame."""
    if isinstance(names, (str, bytes)) or not hasattr(names, "__iter__"):
        raise TypeError(f"features must be a mapping of name to cardinality or keys, or a list of column names, not a {type(names).__name__}")
    return list(names)


def _named_fields(features: Features) -> List[str]:
    """Return all columns that features mention, whether X has them or not.

    The label and the weight avoid these names, so that a missing column is reported as
    missing.
    """
    if not isinstance(features, Mapping):
        return [] if features is None else _list_of_names(features)
    found: List[str] = []
    for name, feature in features.items():
        of = feature if isinstance(feature, Mapping) else {}
        cross = of.get("cross")
        found += [name, *(str(of[key]) for key in ("field",) if key in of), *(cross if isinstance(cross, (list, tuple)) else [])]
    return found


def _opened(content: bytes, files: Dict[str, bytes]) -> Model:
    with scratch_folder() as folder:
        model, tables = os.path.join(folder, "model"), os.path.join(folder, "tables")
        os.mkdir(tables)
        for path, part in [(model, content), *((os.path.join(tables, name), part) for name, part in files.items())]:
            with open(path, "wb") as file:
                file.write(part)
        return Model(model, tables if files else None)
