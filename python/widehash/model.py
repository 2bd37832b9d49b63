"""A trained model for rows in memory."""

import os
from typing import Any, List, Optional, Sequence, Tuple, Type, Union

import numpy
from numpy.typing import NDArray

from . import _core, doubts
from .arguments import FilePath, count, fixed_path, flag, names, needed_path, path_bytes, text, thread_count
from .batch import Batch
from .columns import Table, tables_of
from .effects import Effects
from .errors import ConfigError
from .metrics import MetricsReport, metrics_report


class Model:
    """A trained model that predicts rows in memory, for example in a service.

    A Model is immutable, and threads may share one.

    Parameters
    ----------
    path : path
        File that `train()` wrote.
    tables : path, optional
        Folder that `fit()` wrote before the training. Required if the encoding needs
        lookup tables.
    device : str, default "cpu"
        Device that predicts: "cpu" or "cuda:0".
    undo_class_weights : bool, default False
        For a model trained with class weights: return its probabilities for the rows as
        they are, not as weighted by class.

    Examples
    --------
    >>> model = widehash.Model("clicks.model")
    >>> probabilities = model.predict(frame)
    """

    def __init__(self, path: FilePath, tables: Optional[FilePath] = None, device: str = "cpu", *, undo_class_weights: bool = False) -> None:
        self._model = _core.Predictor(needed_path("path", path), path_bytes("tables", tables), text("device", device),
                                      flag("undo_class_weights", undo_class_weights))
        self._class_weights = _core.trained_class_weights(needed_path("path", path)) or None
        if undo_class_weights:
            doubts.warn_of_nothing_to_undo(path, self._class_weights)
        self._path = os.fsdecode(path)
        self._made_of = (os.fsdecode(fixed_path("path", path)),
                         None if tables is None else os.fsdecode(fixed_path("tables", tables)), device, undo_class_weights)

    def __reduce__(self) -> Tuple[Any, ...]:
        """Pickle the paths of the files. The model file must be unchanged where the Model is unpickled."""
        return _same_model, (type(self), *self._made_of, self._model.checksum)

    def __copy__(self) -> "Model":
        return self

    def __deepcopy__(self, memo: object) -> "Model":
        """Return the model itself, since it is immutable and its file may have been replaced since."""
        return self

    def __fspath__(self) -> str:
        return self._made_of[0]

    @property
    def schema(self) -> _core.Schema:
        """The schema that rows are encoded with."""
        return self._model.schema

    @property
    def fields(self) -> List[str]:
        """Names of the fields that the schema mentions. Predictions do not need the label and the weight."""
        return self._model.fields

    @property
    def class_weights(self) -> Optional[List[float]]:
        """The class weights of the training, or None if all rows counted the same.

        Predicted probabilities refer to rows weighted this way, unless
        `undo_class_weights` was given.
        """
        return self._class_weights

    @property
    def num_outputs(self) -> int:
        """Values for each row: 1, or one for each of `classes`."""
        return self._model.num_outputs

    @property
    def classes(self) -> List[str]:
        """The classes that the outputs stand for; empty unless the label has classes."""
        return self.schema.classes

    @property
    def hidden(self) -> List[int]:
        """Units of each hidden layer; empty for the linear model."""
        return self._model.hidden

    @property
    def loss(self) -> str:
        """The loss of the training: "logistic", "mse", "softmax" or "poisson"."""
        return self._model.loss

    def predict(self, data: Union[Table, Batch], *, max_bad_rows: int = 0,
                threads: Optional[int] = None) -> NDArray[numpy.float32]:
        """Predict rows.

        Parameters
        ----------
        data : table or Batch
            A table, as `Encoder.encode()` takes it, or encoded rows.
        max_bad_rows : int, default 0
            Number of rows with unreadable numbers to accept before raising DataError.
            Their predictions are NaN.
        threads : int, optional
            Number of threads; None for all.

        Returns
        -------
        numpy.ndarray
            float32[rows], or float32[rows, num_outputs] if there are several outputs:
            probabilities, or numbers in the units of the label for the losses `mse` and
            `poisson`.

        Raises
        ------
        DataError
            At the first bad row beyond `max_bad_rows`.
        """
        if isinstance(data, Batch):
            return self._model.predict_batch(data._rows, thread_count(threads))
        return self._model.predict_tables(tables_of(data, self._model.feature_fields), count("max_bad_rows", max_bad_rows), thread_count(threads))

    def effects(self, data: Table, *, output: Optional[int] = None, max_bad_rows: int = 0, threads: Optional[int] = None) -> Effects:
        """Explain predictions by the effect of each feature on the raw output of each row.

        Parameters
        ----------
        data : table
            A table, as `Encoder.encode()` takes it.
        output : int, optional
            Number of the output to explain, from 0, if the model has several. None
            explains the most likely output of each row.
        max_bad_rows : int, default 0
            Number of bad rows to accept, as in `predict()`.
        threads : int, optional
            Number of threads; None for all.

        Returns
        -------
        Effects
            The effects, and the predictions.

        Raises
        ------
        ConfigError
            If the model was written by an earlier version, which did not store the
            column means that effects are measured against.
        DataError
            At the first bad row beyond `max_bad_rows`.
        """
        asked = None if output is None else count("output", output)
        if asked is not None and asked >= self.num_outputs:
            raise ConfigError(f"output: {asked} is out of range; the model has {self.num_outputs}, counted from 0")
        tables = tables_of(data, self._model.feature_fields)
        return Effects(**self._model.explain_tables(tables, asked, count("max_bad_rows", max_bad_rows), thread_count(threads)))

    def evaluate(self, data: Table, *, by: Union[str, Sequence[str]] = (), most_values: int = 1000, max_bad_rows: int = 0,
                 threads: Optional[int] = None) -> MetricsReport:
        """Evaluate the model on labelled rows.

        The metrics equal those of `evaluate()` on files with the same rows.

        Parameters
        ----------
        data : table
            A table, as `Encoder.encode()` takes it, with the label, and with the weight
            if the schema has one.
        by : str or list of str, default ()
            Fields whose values are also evaluated separately, as in `evaluate()`.
        most_values : int, default 1000
            Number of values of each such field, as in `evaluate()`.
        max_bad_rows : int, default 0
            Number of bad rows to leave out before raising DataError. A row is bad if
            its label or a number cannot be read.
        threads : int, optional
            Number of threads; None for all.

        Returns
        -------
        MetricsReport

        Raises
        ------
        ConfigError
            If a field is missing.
        DataError
            At the first bad row beyond `max_bad_rows`.
        """
        fields = names("by", by)
        tables = tables_of(data, list(dict.fromkeys([*self.fields, *fields])))
        return metrics_report(self._model.evaluate_tables(tables, count("max_bad_rows", max_bad_rows), fields,
                                                          count("most_values", most_values), thread_count(threads)))

    def __repr__(self) -> str:
        layers = ", ".join(str(units) for units in self.hidden)
        return f"<widehash.Model {self._path!r}: {'hidden ' + layers if layers else 'linear'}, {self.loss}>"


def _same_model(kind: Type[Model], path: str, tables: Optional[str], device: str, undo_class_weights: bool, checksum: int) -> Model:
    model = kind(path, tables, device, undo_class_weights=undo_class_weights)
    if model._model.checksum != checksum:
        raise ConfigError(f"{path}: the file is not the model that was pickled: it has been replaced since")
    return model
