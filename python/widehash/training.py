"""Training of a network on a dataset."""

import functools
import operator
from collections.abc import Iterable, Mapping, Set as AnySet
from typing import Any, Callable, Dict, List, Optional, Sequence, SupportsIndex, Tuple, Union

import numpy

from . import _core, doubts, metrics, training_reports
from .arguments import FilePath, Inputs, ProgressCallback, callback, count, flag, needed_path, path_bytes, paths_of, progress_callback, thread_count
from .errors import ConfigError
from .record import with_records

Hidden = Union[str, SupportsIndex, Sequence[SupportsIndex]]
EpochCallback = Callable[[training_reports.EpochReport], object]


def hidden_text(hidden: Optional[Hidden]) -> Optional[str]:
    if hidden is None or isinstance(hidden, str):
        return hidden and "".join(hidden.split())
    # numpy arrays have __index__ whatever their shape, and bytes are iterable without being a list of sizes.
    is_one = isinstance(hidden, SupportsIndex) and getattr(hidden, "ndim", 0) == 0
    units: Any = [hidden] if is_one else hidden
    if isinstance(units, (bytes, bytearray, Mapping, AnySet)) or not isinstance(units, Iterable):
        raise TypeError(f"hidden = {hidden!r}: must be layer sizes, such as [32, 16], or a str, not {type(hidden).__name__}")
    return ",".join(str(count("hidden", size)) for size in units) or "none"


ClassWeights = Union[str, Sequence[float], "Mapping[Any, float]"]


def class_name(key: object) -> bytes:
    """Return the text that the label has for a class, given as that text, a number or a bool."""
    if isinstance(key, str):
        return key.encode("utf-8", "surrogateescape")
    if isinstance(key, (bool, numpy.bool_)):
        return b"true" if key else b"false"
    if isinstance(key, SupportsIndex):
        return b"%d" % operator.index(key)
    if isinstance(key, float) and key.is_integer():
        return b"%d" % key
    raise TypeError(f"class_weights: the class {key!r} must be a str or a whole number, not {type(key).__name__}")


def weights_by_name(weights: Optional[ClassWeights]) -> List[Tuple[bytes, float]]:
    if not isinstance(weights, Mapping):
        return []
    if not weights:
        raise ConfigError("class_weights: there are none; give at least one class a number, or leave the argument out")
    try:
        return [(class_name(key), float(weight)) for key, weight in weights.items()]
    except (ValueError, OverflowError):
        raise TypeError(f"class_weights = {weights!r}: must be a number for each class") from None


def weights_text(weights: Optional[ClassWeights]) -> Optional[str]:
    if weights is None or isinstance(weights, Mapping):
        return None
    if isinstance(weights, str):
        if weights != "balanced":
            raise ConfigError(f"class_weights = {weights!r}: must be 'balanced', or a number for each class")
        return weights
    if isinstance(weights, (bytes, bytearray, AnySet)) or not isinstance(weights, Iterable):
        raise TypeError(f"class_weights = {weights!r}: must be a number for each class or 'balanced', not {type(weights).__name__}")
    try:
        numbers = [repr(float(weight)) for weight in weights]
    except (ValueError, OverflowError):
        raise TypeError(f"class_weights = {weights!r}: must be a number for each class or 'balanced'") from None
    if not numbers:
        raise ConfigError("class_weights: there are none; give a number for each class")
    return ",".join(numbers)


def _report_epoch(on_epoch: EpochCallback, found: Dict[str, Any]) -> None:
    on_epoch(training_reports.epoch(found))


def train(dataset: Inputs, model: FilePath, *, valid: Optional[Inputs] = None, from_model: Optional[FilePath] = None,
          hidden: Optional[Hidden] = None, activation: Optional[str] = None, loss: Optional[str] = None,
          class_weights: Optional[ClassWeights] = None,
          optimizer: Optional[str] = None, learning_rate: Optional[float] = None, l1: Optional[float] = None, l2: Optional[float] = None,
          beta: Optional[float] = None, beta1: Optional[float] = None, beta2: Optional[float] = None,
          rho: Optional[float] = None, epsilon: Optional[float] = None, batch_size: Optional[int] = None,
          epochs: int = 1, seed: int = 1, early_stop: int = 0, checkpoint_every: int = 0, resume: bool = False,
          overwrite: bool = False, shuffle: bool = True, lr_decay: str = "linear", devices: str = "cpu", parallel: str = "data",
          mix: str = "gradients", mix_every: int = 1, memory_bytes: int = 0,
          profile: Optional[FilePath] = None, on_epoch: Optional[EpochCallback] = None, threads: Optional[int] = None,
          progress: Optional[ProgressCallback] = None) -> training_reports.TrainReport:
    """Train a network on a dataset, streamed from its shards, and write the model.

    Parameters
    ----------
    dataset : path or list of paths
        Folder that `transform()` wrote, or several folders with the same schema, which
        are trained on as one.
    model : path
        File for the model. Checkpoints are written beside it.
    valid : path or list of paths, optional
        Dataset for validation after each epoch; several are used as one. The model is
        then that of the best epoch, otherwise that of the last.
    from_model : path, optional
        Model to start from instead of fresh parameters. Its network is trained on with
        these rows, and so is its optimizer if it is of the same kind.
    hidden : str, int or list of int, optional
        Hidden layers: "none" for the linear wide model, "auto" for one layer of
        columns^0.3 units, or sizes, such as [32, 16]. None means "none". With
        `from_model`, `hidden`, `activation` and `loss` are those of that model and may
        not be given.
    activation : {"linear", "relu", "sigmoid", "tanh"}, optional
        Activation of the hidden layers. None means "relu".
    loss : {"logistic", "mse", "softmax", "poisson"}, optional
        Loss to minimize: "mse" for numbers, "poisson" for counts and rates. None means
        "softmax" for a label of classes, otherwise "logistic".
    class_weights : list of float, mapping or "balanced", optional
        How much rows count by their class, in training and for `valid`. A list has a
        number for each of the label's classes, in their order: [1, 10] counts positive
        rows ten times as much. A mapping names classes, {"yes": 10}; the others count
        once. "balanced" makes all classes count the same. None keeps the class weights
        of `from_model`, or of the training that is resumed, and otherwise means 1 for
        each.
    optimizer : {"ftrl", "adagrad", "adam", "rmsprop", "sgd"}, optional
        Update rule. None means that of `from_model`, otherwise adagrad.
    learning_rate : float, optional
        None chooses it by the optimizer, the network, the loss, the number of rows, the
        columns that a row sets, and the batch size.
    l1, l2 : float, optional
        Regularisation. Up to half a million rows, the default `l2` is 8 / rows for
        four-split features and 2 / rows for others; with hidden layers it is 32 / (rows
        + 1500) and 8 / (rows + 1500). With `from_model` it is an eighth of that. With
        more rows, and for ftrl, it is 0.
    beta : float, optional
        ftrl only.
    beta1, beta2 : float, optional
        Decay rates of the moments, for adam only.
    rho : float, optional
        Decay rate, for rmsprop only.
    epsilon : float, optional
        Added to the root in adagrad, adam and rmsprop.
    batch_size : int, optional
        Maximum rows in a step; the steps of an epoch have even sizes. None means 512,
        or up to 16384 for the linear model if there are enough rows, and fewer if
        training would otherwise have fewer than six steps.
    epochs : int, default 1
        Number of times that every row is seen.
    seed : int, default 1
        Seed of the initial weights and of the order of rows.
    early_stop : int, default 0
        Stop after this many epochs without a better loss on `valid`; 0 for never.
    checkpoint_every : int, default 0
        Batches between checkpoints; 0 writes one only at the end of each epoch.
    resume : bool, default False
        Continue from the checkpoint. The result is as if the training had never
        stopped.
    overwrite : bool, default False
        Replace an existing model, or the checkpoint of a training that could be
        resumed.
    shuffle : bool, default True
        Whether `seed` shuffles the rows. Otherwise they keep the order of the dataset.
    lr_decay : {"linear", "none"}, default "linear"
        "linear" lowers the learning rate to 0 over all epochs (never for ftrl); "none"
        keeps it.
    devices : str, default "cpu"
        "cpu"; "cpu,cpu,cpu" for three virtual devices that share the threads; "cuda"
        for every GPU; or a list such as "cuda:0,cuda:1".
    parallel : {"data", "tower", "model"}, default "data"
        How several devices share the work: "data" cuts each batch into slices, "tower"
        gives each device a batch of its own, "model" divides the columns of the first
        layer.
    mix : {"gradients", "parameters", "predictions"}, default "gradients"
        What towers share. With "parameters", it is their mean every `mix_every` steps.
    mix_every : int, default 1
        Steps between means of the parameters.
    memory_bytes : int, default 0
        Maximum bytes on each device for parameters, gradients and optimizer state; 0
        for no limit.
    profile : path, optional
        File for a trace of what each device did, for ui.perfetto.dev.
    on_epoch : callable, optional
        Called with the EpochReport of each epoch, and, if `valid` is given, of the
        model that training starts from. It runs on the calling thread while training
        waits. At that time the model file holds the best epoch so far. An exception
        that it raises ends the training with that epoch.
    threads : int, optional
        Number of threads; None for all. The model does not depend on it.
    progress : callable, optional
        Called with a Progress on the calling thread, at most 20 times a second. An
        exception that it raises ends the training.

    Returns
    -------
    TrainReport

    Raises
    ------
    ConfigError
        If an option is wrong, the schema is another one, there is no label, memory is
        too small, or the model already exists.
    DataError
        If a file is damaged, or if a loss or parameters are not finite.
    FileError
        If a file cannot be read or written.
    DeviceError
        If a device cannot be used.
    CommError
        If another process failed or is gone.
    KeyboardInterrupt
        On Ctrl-C.

    Warns
    -----
    UserWarning
        If the model is worse than a constant, if the training has gone astray, if all
        rows with nonzero weight have the same target, or if the labels may be in other
        units than those of `from_model`.

    Notes
    -----
    Ctrl-C, and an exception from `progress`, end the training after the current step.
    If `checkpoint_every` is given, a checkpoint is written first, and the same call
    with `resume=True` continues.
    """
    if lr_decay not in ("linear", "none"):
        raise ConfigError(f"train: lr_decay = {lr_decay!r}: must be 'linear' or 'none'")
    given = {
        "datasets": paths_of("dataset", dataset), "model": needed_path("model", model), "valid": [] if valid is None else paths_of("valid", valid),
        "from_model": None if from_model is None else path_bytes("from_model", from_model),
        "hidden": hidden_text(hidden), "activation": activation, "loss": loss,
        "class_weights": weights_text(class_weights), "class_weights_by_name": weights_by_name(class_weights),
        "optimizer": optimizer, "learning_rate": learning_rate, "l1": l1, "l2": l2, "beta": beta, "beta1": beta1,
        "beta2": beta2, "rho": rho, "epsilon": epsilon,
        "batch_size": None if batch_size is None else count("batch_size", batch_size),
        "decay_learning_rate": lr_decay == "linear", "epochs": count("epochs", epochs), "seed": count("seed", seed),
        "early_stop": count("early_stop", early_stop), "checkpoint_every": count("checkpoint_every", checkpoint_every),
        "resume": flag("resume", resume), "overwrite": flag("overwrite", overwrite), "shuffle": flag("shuffle", shuffle), "devices": devices, "parallel": parallel, "mix": mix,
        "mix_every": count("mix_every", mix_every), "memory_bytes": count("memory_bytes", memory_bytes),
        "profile": path_bytes("profile", profile),
    }
    function = callback("on_epoch", on_epoch)
    report_epoch = None if function is None else functools.partial(_report_epoch, function)
    found = _core.train_job(given, report_epoch, thread_count(threads), progress_callback(progress))
    report = training_reports.TrainReport(**with_records(
        found,
        epochs=[training_reports.epoch(item) for item in found["epochs"]],
        start=metrics.metrics_or_none(found["start"]),
        optimizer=training_reports.OptimizerSettings(**found["optimizer"]),
        devices=[training_reports.DeviceReport(**item) for item in found["devices"]],
        label_shift=training_reports.label_shift(found["label_shift"]),
    ))
    doubt = _doubt(report)
    if doubt:
        doubts.warn(doubt)
    return report


def _doubt(report: training_reports.TrainReport) -> Optional[str]:
    """Describe why the model is of no use, as the program does; None if nothing indicates that."""
    if report.only_target is not None:
        return f"all rows with any weight have the target {report.only_target:g}, so there was nothing to learn"
    if report.label_shift is not None:
        before, now = report.label_shift.before, report.label_shift.now
        return (f"the labels have a mean of {now.mean:.4g} and a deviation of {now.standard_deviation:.4g}; the model that the training started "
                f"from was trained with {before.mean:.4g} and {before.standard_deviation:.4g}: they may be in different units")
    advice = "another learning_rate, more or fewer epochs, or standardized numbers may help"
    if report.is_worse_than_constant:
        return f"the model is worse than a constant on the rows of `valid`; {advice}"
    if report.is_astray:
        return f"the training has diverged: its loss is {report.epochs[-1].train_loss:g}, while guessing gives {report.loss_of_guessing:g}; {advice}"
    return None
