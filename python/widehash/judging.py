"""Jobs with a trained model: evaluate it, predict with it, explain it."""

from typing import Any, Dict, List, Optional, Sequence, Union

import numpy
from numpy.typing import NDArray

from . import _core, doubts, metrics, reports
from .arguments import (FilePath, Inputs, ProgressCallback, count, flag, input_list, names, needed_path, path_bytes, progress_callback, text,
                        text_form, thread_count)


def evaluate(model: FilePath, inputs: Inputs, *, tables: Optional[FilePath] = None, device: str = "cpu",
             header: Optional[bool] = None, delimiter: Optional[str] = None, quote: Optional[str] = None,
             max_bad_rows: int = 0, by: Union[str, Sequence[str]] = (), most_values: int = 1000, against: Optional[FilePath] = None, undo_class_weights: bool = False,
             allow_empty: bool = False, threads: Optional[int] = None,
             progress: Optional[ProgressCallback] = None) -> metrics.MetricsReport:
    """Evaluate a model on labelled rows: log loss, AUC, accuracy, RMSE, calibration, each class.

    Parameters
    ----------
    model : path
        File that `train()` wrote.
    inputs : path, glob, or list of these
        One or more folders of datasets with the schema of the model, or text as
        `predict()` takes it. Rows need labels. Several inputs are evaluated as one.
    tables : path, optional
        Folder of the tables from `fit()`. Required if the input is text and the schema
        needs them.
    device : str, default "cpu"
        Device that predicts: "cpu", "cuda" or "cuda:1".
    header : bool, optional
        Whether the first line of text names the fields. None follows the schema of the
        model.
    delimiter : str, optional
        The ASCII character between the fields of text. None follows the schema.
    quote : str, optional
        The ASCII character around fields that contain delimiters, or "" if there is
        none. None follows the schema.
    max_bad_rows : int, default 0
        Number of bad rows of text to leave out before giving up. `predict()` lists
        them.
    by : str or list of str, default ()
        Fields of text. The rows of each of their values are also evaluated separately;
        see `by` of the report.
    most_values : int, default 1000
        Number of values of each such field that are evaluated separately: the first
        ones in the text. The rows of all other values are evaluated together.
    against : path, optional
        Another model to evaluate on the same rows. `against` of the report has its
        metrics and the difference between the two models. If the rows are text, its
        schema may differ.
    undo_class_weights : bool, default False
        For a model trained with class weights: evaluate its probabilities for the rows
        as they are, not as weighted by class.
    allow_empty : bool, default False
        Treat a text input of zero bytes as one without rows, as in `transform()`.
    threads : int, optional
        Number of threads; None for all. The result does not depend on it.
    progress : callable, optional
        Called with a Progress on the calling thread, at most 20 times a second. An
        exception that it raises ends the job.

    Returns
    -------
    MetricsReport

    Raises
    ------
    ConfigError
        If the schemas differ; the message says how.
    DataError
        If a file is damaged, or if there are too many bad rows.
    FileError
        If a file cannot be read.
    DeviceError
        If the device cannot be used.
    """
    if flag("undo_class_weights", undo_class_weights):
        doubts.warn_of_nothing_to_undo(model, _core.trained_class_weights(needed_path("model", model)))
    return metrics.metrics_report(_core.evaluate_job(needed_path("model", model), input_list(inputs), path_bytes("tables", tables), text("device", device),
                                              *text_form(header, delimiter, quote), count("max_bad_rows", max_bad_rows),
                                              flag("undo_class_weights", undo_class_weights), flag("allow_empty", allow_empty),
                                              names("by", by), path_bytes("against", against), count("most_values", most_values), thread_count(threads), progress_callback(progress)))


def predict(model: FilePath, inputs: Inputs, *, tables: Optional[FilePath] = None, device: str = "cpu",
            header: Optional[bool] = None, delimiter: Optional[str] = None, quote: Optional[str] = None,
            max_bad_rows: int = 0, undo_class_weights: bool = False, allow_empty: bool = False, rejected: Optional[FilePath] = None, threads: Optional[int] = None,
            progress: Optional[ProgressCallback] = None) -> NDArray[numpy.float32]:
    """Predict every row of a dataset or of text, in input order.

    Parameters
    ----------
    model : path
        File that `train()` wrote.
    inputs : path, glob, or list of these
        One or more folders of datasets, or text files, plain or compressed. Rows may
        have a label or not.
    tables : path, optional
        Folder of the tables from `fit()`. Required if the input is text and the schema
        needs them.
    device : str, default "cpu"
        Device that predicts: "cpu", "cuda" or "cuda:1".
    header : bool, optional
        Whether the first line of text names the fields. None follows the schema of the
        model.
    delimiter : str, optional
        The ASCII character between the fields of text. None follows the schema.
    quote : str, optional
        The ASCII character around fields that contain delimiters, or "" if there is
        none. None follows the schema.
    max_bad_rows : int, default 0
        Number of bad rows of text to accept before giving up. The prediction of a bad
        row is NaN.
    undo_class_weights : bool, default False
        For a model trained with class weights: return its probabilities for the rows as
        they are, not as weighted by class.
    allow_empty : bool, default False
        Treat a text input of zero bytes as one without rows, as in `transform()`.
    rejected : path, optional
        File for a list of the bad rows, written if `max_bad_rows` is above 0. An
        existing list is replaced, or removed if no row is bad.
    threads : int, optional
        Number of threads; None for all. The result does not depend on it.
    progress : callable, optional
        Called with a Progress on the calling thread, at most 20 times a second. An
        exception that it raises ends the job.

    Returns
    -------
    numpy.ndarray
        float32[rows], or float32[rows, outputs] if the model has several outputs. Rows
        that were left out of a dataset when it was made have no place in it.

    Raises
    ------
    DataError
        If there are too many bad rows.
    ConfigError
        If the schema or the tables are not those of the model.
    FileError
        If a file cannot be read.
    DeviceError
        If the device cannot be used.
    """
    if flag("undo_class_weights", undo_class_weights):
        doubts.warn_of_nothing_to_undo(model, _core.trained_class_weights(needed_path("model", model)))
    return _core.predict_job(needed_path("model", model), input_list(inputs), path_bytes("tables", tables), text("device", device),
                             *text_form(header, delimiter, quote), count("max_bad_rows", max_bad_rows),
                             flag("undo_class_weights", undo_class_weights), flag("allow_empty", allow_empty), path_bytes("rejected", rejected), thread_count(threads), progress_callback(progress))


def explain(model: FilePath, tables: FilePath, *, top: int = 10, min_count: int = 10, output: int = 0,
            threads: Optional[int] = None) -> List[reports.FeatureEffects]:
    """List the values of each feature with the largest effects, and the effects of numbers.

    Parameters
    ----------
    model : path
        File that `train()` wrote.
    tables : path
        Folder of the tables from `fit()`.
    top : int, default 10
        Number of values in each direction, for each feature.
    min_count : int, default 10
        Leave out values seen less often, because their effects are mostly noise.
    output : int, default 0
        Number of the output to explain, from 0, if the model has several.
    threads : int, optional
        Number of threads; None for all.

    Returns
    -------
    list of FeatureEffects
        The features, those whose effects have the largest spread first.

    Raises
    ------
    ConfigError
        If the model and the tables have different schemas.
    DataError
        If a file is damaged.
    FileError
        If a file cannot be read.
    """
    found = _core.explain_job(needed_path("model", model), needed_path("tables", tables), count("top", top),
                              count("min_count", min_count), count("output", output), thread_count(threads))
    return [feature_effects(item) for item in found]


def feature_effects(found: Dict[str, Any]) -> reports.FeatureEffects:
    for side in found.keys() & {"highest", "lowest"}:
        found[side] = [reports.ValueEffect(**item) for item in found[side]]
    return reports.FeatureEffects(**found)
