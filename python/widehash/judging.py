"""Jobs with a trained model: judge it, let it predict, have it explained."""

from typing import Any, Dict, List, Optional, Sequence, Union

import numpy
from numpy.typing import NDArray

from . import _core, metrics, reports
from .arguments import (FilePath, Inputs, TellProgress, count, flag, input_list, names, needed_path, path_bytes, teller, text,
                        text_form, thread_count)


def evaluate(model: FilePath, inputs: Inputs, *, tables: Optional[FilePath] = None, device: str = "cpu",
             header: Optional[bool] = None, delimiter: Optional[str] = None, quote: Optional[str] = None,
             max_bad_rows: int = 0, by: Union[str, Sequence[str]] = (), most_values: int = 1000, against: Optional[FilePath] = None, undo_class_weights: bool = False,
             allow_empty: bool = False, threads: Optional[int] = None,
             progress: Optional[TellProgress] = None) -> metrics.MetricsReport:
    """Judges a model by rows with labels: log loss, AUC, accuracy, RMSE, calibration, each class.

    model         file that train() wrote
    inputs        a dataset's folder of the same schema, or several, or text as predict() takes it, with labels; several are judged by
                  as one
    tables        folder of the tables of fit(), where the schema needs them and the input is text
    device        that predicts: "cpu", "cuda" or "cuda:1"
    header        whether the first line of text names the fields; None: as the schema of the model says
    delimiter     one ASCII character that stands between the fields of text; None: likewise
    quote         one that stands around fields that hold delimiters, or "" where there is none; None: likewise
    max_bad_rows  bad rows of text to leave out before giving up; predict() lists them
    by            field of text, or several: the report has the rows of each of its values, too, in `by`
    most_values   of each such field that are judged on their own, the first ones of the text; the rows of all others are judged together
    against       another model to judge by the same rows: the report has it, and by how much the figure differs, in `against`. It may be of
                  another schema where the rows are text
    undo_class_weights
                  judge a model that was trained with class weights by its chances of rows as they are, and not of rows weighted so
    allow_empty   take a text input without a byte for one of no rows, as in transform()
    threads       to use; None for all. The result never depends on it
    progress      called with a Progress, by this thread, at most 20 times a second; what it raises ends the job

    Raises ConfigError where the schemas differ, saying how; DataError, FileError, DeviceError."""
    return metrics.metrics_report(_core.evaluate_job(needed_path("model", model), input_list(inputs), path_bytes("tables", tables), text("device", device),
                                              *text_form(header, delimiter, quote), count("max_bad_rows", max_bad_rows),
                                              flag("undo_class_weights", undo_class_weights), flag("allow_empty", allow_empty),
                                              names("by", by), path_bytes("against", against), count("most_values", most_values), thread_count(threads), teller(progress)))


def predict(model: FilePath, inputs: Inputs, *, tables: Optional[FilePath] = None, device: str = "cpu",
            header: Optional[bool] = None, delimiter: Optional[str] = None, quote: Optional[str] = None,
            max_bad_rows: int = 0, undo_class_weights: bool = False, allow_empty: bool = False, rejected: Optional[FilePath] = None, threads: Optional[int] = None,
            progress: Optional[TellProgress] = None) -> NDArray[numpy.float32]:
    """What a model says of every row of a dataset or of text, in input order.

    model         file that train() wrote
    inputs        a dataset's folder, or several, or a path or glob of text, plain or compressed, or a list of those. A label may be there
                  or not
    tables        folder of the tables of fit(), where the schema needs them and the input is text
    device        that predicts: "cpu", "cuda" or "cuda:1"
    header        whether the first line of text names the fields; None: as the schema of the model says
    delimiter     one ASCII character that stands between the fields of text; None: likewise
    quote         one that stands around fields that hold delimiters, or "" where there is none; None: likewise
    max_bad_rows  bad rows of text before giving up; each has NaN in its place
    undo_class_weights
                  of a model that was trained with class weights the chances of rows as they are, and not of rows weighted so
    allow_empty   take a text input without a byte for one of no rows, as in transform()
    rejected      file for a list of these rows where any may be bad; a list that is there is replaced, or removed where no row
                  is bad
    threads       to use; None for all. The result never depends on it
    progress      called with a Progress, by this thread, at most 20 times a second; what it raises ends the job

    Returns a numpy array of float32: [rows], or [rows, outputs] of a model with several outputs. Rows that the transform of a
    dataset left out have no place in it. Raises DataError (a bad row too many), ConfigError (another schema, other tables),
    FileError, DeviceError."""
    return _core.predict_job(needed_path("model", model), input_list(inputs), path_bytes("tables", tables), text("device", device),
                             *text_form(header, delimiter, quote), count("max_bad_rows", max_bad_rows),
                             flag("undo_class_weights", undo_class_weights), flag("allow_empty", allow_empty), path_bytes("rejected", rejected), thread_count(threads), teller(progress))


def explain(model: FilePath, tables: FilePath, *, top: int = 10, min_count: int = 10, output: int = 0,
            threads: Optional[int] = None) -> List[reports.FeatureEffects]:
    """The heaviest values of each feature in their own words, and the effect of numbers.

    model      file that train() wrote
    tables     folder of the tables of fit()
    top        values each way, per feature
    min_count  leave out values seen less often: their effect is mostly noise
    output     which output, from 0, of a model that has several
    threads    to use; None for all

    Returns the features, heaviest first. Raises ConfigError where model and tables have other schemas, DataError, FileError."""
    found = _core.explain_job(needed_path("model", model), needed_path("tables", tables), count("top", top),
                              count("min_count", min_count), count("output", output), thread_count(threads))
    return [feature_effects(item) for item in found]


def feature_effects(found: Dict[str, Any]) -> reports.FeatureEffects:
    for side in found.keys() & {"highest", "lowest"}:
        found[side] = [reports.ValueEffect(**item) for item in found[side]]
    return reports.FeatureEffects(**found)
