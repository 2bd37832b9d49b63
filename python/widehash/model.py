"""A trained model for rows in memory."""

import os
from typing import Any, List, Optional, Sequence, Tuple, Type, Union

import numpy
from numpy.typing import NDArray

from . import _core
from .arguments import FilePath, count, fixed_path, flag, names, needed_path, path_bytes, text, thread_count
from .batch import Batch
from .columns import Table, tables_of
from .effects import Effects
from .errors import ConfigError
from .metrics import MetricsReport, metrics_report


class Model:
    """A trained model that predicts rows in memory: what a service holds. Immutable; threads may share one.

        model = widehash.Model("clicks.model")
        chances = model.predict(frame)

    `tables` is the folder that fit() wrote before the training, where the encoding needs it; `device` is "cpu" or "cuda:0".
    With `undo_class_weights` a model that was trained with class weights has the chances of rows as they are, and not of rows
    weighted so.
    """

    def __init__(self, path: FilePath, tables: Optional[FilePath] = None, device: str = "cpu", *, undo_class_weights: bool = False) -> None:
        self._model = _core.Predictor(needed_path("path", path), path_bytes("tables", tables), text("device", device),
                                      flag("undo_class_weights", undo_class_weights))
        self._class_weights = _core.trained_class_weights(needed_path("path", path)) or None
        self._path = os.fsdecode(path)
        self._made_of = (os.fsdecode(fixed_path("path", path)),
                         None if tables is None else os.fsdecode(fixed_path("tables", tables)), device, undo_class_weights)

    def __reduce__(self) -> Tuple[Any, ...]:
        """To other processes: where the files are, of which that of the model has to be the same there."""
        return _same_model, (type(self), *self._made_of, self._model.checksum)

    def __copy__(self) -> "Model":
        return self

    def __deepcopy__(self, memo: object) -> "Model":
        """Itself, as of all that cannot change: its file may be another one by now."""
        return self

    def __fspath__(self) -> str:
        return self._made_of[0]

    @property
    def schema(self) -> _core.Schema:
        return self._model.schema

    @property
    def fields(self) -> List[str]:
        """Names of the fields that the schema speaks of; a label and a weight are not needed."""
        return self._model.fields

    @property
    def class_weights(self) -> Optional[List[float]]:
        """What rows counted for by their class when it was trained; None where all counted the same. Chances are of rows
        weighted so, but with `undo_class_weights`."""
        return self._class_weights

    @property
    def num_outputs(self) -> int:
        """Values for each row: 1, or one for each of `classes`."""
        return self._model.num_outputs

    @property
    def classes(self) -> List[str]:
        """What the outputs stand for where the label has classes; empty otherwise."""
        return self.schema.classes

    @property
    def hidden(self) -> List[int]:
        """Units of the hidden layers; empty for the linear model."""
        return self._model.hidden

    @property
    def loss(self) -> str:
        return self._model.loss

    def predict(self, data: Union[Table, Batch], *, max_bad_rows: int = 0,
                threads: Optional[int] = None) -> NDArray[numpy.float32]:
        """Predictions as float32[rows], or [rows, num_outputs]: probabilities, or with the losses `mse` and `poisson` numbers in the units of the label.

        `data` is a table as Encoder.encode() takes it, or a Batch. The first row with a number that cannot be read raises DataError; up to
        `max_bad_rows` of them are NaN instead.
        """
        if isinstance(data, Batch):
            return self._model.predict_batch(data._rows, thread_count(threads))
        return self._model.predict_tables(tables_of(data, self._model.feature_fields), count("max_bad_rows", max_bad_rows), thread_count(threads))

    def effects(self, data: Table, *, output: Optional[int] = None, max_bad_rows: int = 0, threads: Optional[int] = None) -> Effects:
        """Why it predicts so: the effect of each feature on the raw output of each row, beside the predictions.

        `data` is a table as Encoder.encode() takes it. `output`: of a model of several outputs the one that effects are on, from 0; None for
        the likeliest of each row. Bad rows are as in predict(). Raises ConfigError for a model of an earlier version, which does not say
        what effects are told against.
        """
        asked = None if output is None else count("output", output)
        if asked is not None and asked >= self.num_outputs:
            raise ConfigError(f"output: {asked} is beyond the {self.num_outputs} of the model, which are counted from 0")
        tables = tables_of(data, self._model.feature_fields)
        return Effects(**self._model.explain_tables(tables, asked, count("max_bad_rows", max_bad_rows), thread_count(threads)))

    def evaluate(self, data: Table, *, by: Union[str, Sequence[str]] = (), most_values: int = 1000, max_bad_rows: int = 0,
                 threads: Optional[int] = None) -> MetricsReport:
        """Judges the model by rows with labels, as evaluate() does with files: the same figures of the same rows.

        `data` is a table as Encoder.encode() takes it, with the label, and the weight that the schema has. `by` and `most_values` are as
        in evaluate(). The first row with a label or a number that cannot be read raises DataError; up to `max_bad_rows` of them are left
        out. Raises ConfigError where a field is missing.
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
