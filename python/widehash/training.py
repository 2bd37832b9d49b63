"""The training of a network on a dataset."""

import functools
import operator
from collections.abc import Iterable, Mapping, Set as AnySet
from typing import Any, Callable, Dict, List, Optional, Sequence, SupportsIndex, Tuple, Union

import numpy

from . import _core, doubts, metrics, reports
from .arguments import FilePath, Inputs, TellProgress, callback, count, flag, needed_path, path_bytes, paths_of, teller, thread_count
from .errors import ConfigError
from .record import with_records

Hidden = Union[str, SupportsIndex, Sequence[SupportsIndex]]
TellEpoch = Callable[[reports.EpochReport], object]


def hidden_text(hidden: Optional[Hidden]) -> Optional[str]:
    if hidden is None or isinstance(hidden, str):
        return hidden and "".join(hidden.split())
    # Arrays of numpy say of themselves that they are whole numbers; bytes are several.
    is_one = isinstance(hidden, SupportsIndex) and getattr(hidden, "ndim", 0) == 0
    units: Any = [hidden] if is_one else hidden
    if isinstance(units, (bytes, bytearray, Mapping, AnySet)) or not isinstance(units, Iterable):
        raise TypeError(f"hidden = {hidden!r}: sizes of layers are needed, such as [32, 16], or a str, not {type(hidden).__name__}")
    return ",".join(str(count("hidden", size)) for size in units) or "none"


ClassWeights = Union[str, Sequence[float], "Mapping[Any, float]"]


def class_name(key: object) -> bytes:
    """What the label has for a class: a text, or the number or truth that it is."""
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
        raise ConfigError("class_weights: there are none; give a class its number, or leave it out")
    try:
        return [(class_name(key), float(weight)) for key, weight in weights.items()]
    except (ValueError, OverflowError):
        raise TypeError(f"class_weights = {weights!r}: a number for each class is needed") from None


def weights_text(weights: Optional[ClassWeights]) -> Optional[str]:
    if weights is None or isinstance(weights, Mapping):
        return None
    if isinstance(weights, str):
        if weights != "balanced":
            raise ConfigError(f"class_weights = {weights!r}: must be 'balanced', or a number for each class")
        return weights
    if isinstance(weights, (bytes, bytearray, AnySet)) or not isinstance(weights, Iterable):
        raise TypeError(f"class_weights = {weights!r}: a number for each class is needed, or 'balanced', not {type(weights).__name__}")
    try:
        numbers = [repr(float(weight)) for weight in weights]
    except (ValueError, OverflowError):
        raise TypeError(f"class_weights = {weights!r}: a number for each class is needed, or 'balanced'") from None
    if not numbers:
        raise ConfigError("class_weights: there are none; give a number for each class")
    return ",".join(numbers)


def _tell_epoch(on_epoch: TellEpoch, found: Dict[str, Any]) -> None:
    on_epoch(reports.epoch(found))


def train(dataset: Inputs, model: FilePath, *, valid: Optional[Inputs] = None, from_model: Optional[FilePath] = None,
          hidden: Optional[Hidden] = None, activation: Optional[str] = None, loss: Optional[str] = None,
          class_weights: Optional[ClassWeights] = None,
          optimizer: Optional[str] = None, learning_rate: Optional[float] = None, l1: Optional[float] = None, l2: Optional[float] = None,
          beta: Optional[float] = None, beta1: Optional[float] = None, beta2: Optional[float] = None,
          rho: Optional[float] = None, epsilon: Optional[float] = None, batch_size: Optional[int] = None,
          epochs: int = 1, seed: int = 1, early_stop: int = 0, checkpoint_every: int = 0, resume: bool = False,
          overwrite: bool = False, shuffle: bool = True, lr_decay: str = "linear", devices: str = "cpu", parallel: str = "data",
          mix: str = "gradients", mix_every: int = 1, memory_bytes: int = 0,
          profile: Optional[FilePath] = None, on_epoch: Optional[TellEpoch] = None, threads: Optional[int] = None,
          progress: Optional[TellProgress] = None) -> reports.TrainReport:
    """Trains a network on a dataset, streamed from its shards, and writes the model.

    dataset           folder that transform() wrote, or several of one schema, which are trained on as one
    model             file for the model; checkpoints go beside it
    valid             dataset, or several as one, to judge by after each epoch; the model is then that of the best epoch,
                      otherwise of the last
    from_model        model to start from in place of fresh parameters: its network goes on with these rows, and its
                      optimizer where that is of the same kind

    hidden            hidden layers: "none" for the linear wide model, "auto" for one of columns^0.3 units, or sizes, such as
                      [32, 16]. None: "none", or those of `from_model`, beside which this may not be given, as the next two
    activation        of the hidden layers: "linear", "relu" (None), "sigmoid" or "tanh"
    loss              what is made small: "logistic", "mse" (for numbers), "softmax" or "poisson" (for counts and rates); None: softmax for a
                      label of classes, otherwise logistic

    class_weights     what rows count for by their class, in training and for `valid`: a number for each in the order of the
                      label's classes, [1, 10] for ten times as much of the positive ones; or by name, {"yes": 10}, where the
                      others count for 1; or "balanced", so that all classes count the same. None: those of `from_model`, or
                      of the training that is resumed, otherwise 1 for each

    optimizer         "ftrl", "adagrad", "adam", "rmsprop" or "sgd"; None: that of `from_model`, otherwise adagrad
    learning_rate     None: chosen by the optimizer, the loss, the columns a row sets and the batch size
    l1, l2            regularisation; l2 is 8 / rows by default for four-split features and 2 / rows for others, up to half a million rows; with hidden layers four times that of
                      1,500 more rows; an eighth with from_model
    beta              of ftrl
    beta1, beta2      decays of adam's moments
    rho               decay of rmsprop
    epsilon           added to the root in adagrad, adam and rmsprop
    batch_size        rows to a step, at most, for steps are even; None: 512, for the linear model up to 16384 as rows allow,
                      and fewer where there would be less than six steps in all
    lr_decay          "linear": the learning rate falls to 0 over all epochs (ftrl's never does); "none": it stays

    epochs            times every row is seen
    seed              of the first weights and of the order of rows
    shuffle           whether rows come in an order of the seed's, and not in that of the dataset
    early_stop        stop after so many epochs without a better loss on `valid`; 0 for never
    checkpoint_every  batches between checkpoints; 0 for the end of each epoch only
    resume            go on from the checkpoint; the result is as if it had never stopped
    overwrite         replace a model that is there, or the checkpoint of a training that could go on

    devices           "cpu"; "cpu,cpu,cpu" for three virtual devices that share the threads; "cuda" for every GPU, or
                      "cuda:0,cuda:1"
    parallel          how several devices share the work: "data" cuts each batch in slices, "tower" gives each device a batch
                      of its own, "model" divides the columns of the first layer
    mix               what towers have in common: "gradients", "parameters" (their mean every `mix_every` steps) or
                      "predictions"
    memory_bytes      that parameters, gradients and optimizer state may take on each device; 0 for no limit
    profile           file for a trace of what each device did, for ui.perfetto.dev

    on_epoch          called with the EpochReport of each epoch, and of the model started from where there is `valid`, by this
                      thread, while the training waits and the file of the model holds the best epoch so far; what it raises
                      ends the training with that epoch
    threads           to use; None for all. The model never depends on it
    progress          called with a Progress, by this thread, at most 20 times a second; what it raises ends the training

    Ctrl-C, and what `progress` raises, end the training after the step at hand; where `checkpoint_every` is given the
    checkpoint is written first, and the same call with `resume=True` goes on. Raises ConfigError (an option, another schema,
    no label, too little memory, a model that is there), DataError (a damaged file, a loss or parameters that are not finite), FileError, DeviceError, CommError.
    Warns (UserWarning) of a model that is worse than a constant, of a training that has gone astray, and of rows with one target only."""
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
    tell_epoch = None if function is None else functools.partial(_tell_epoch, function)
    found = _core.train_job(given, tell_epoch, thread_count(threads), teller(progress))
    report = reports.TrainReport(**with_records(
        found,
        epochs=[reports.epoch(item) for item in found["epochs"]],
        start=metrics.metrics_or_none(found["start"]),
        optimizer=reports.OptimizerSettings(**found["optimizer"]),
        devices=[reports.DeviceReport(**item) for item in found["devices"]],
        label_shift=reports.label_shift(found["label_shift"]),
    ))
    doubt = _doubt(report)
    if doubt:
        doubts.warn(doubt)
    return report


def _doubt(report: reports.TrainReport) -> Optional[str]:
    """What the program says of a model that is worth nothing; None where nothing speaks against it."""
    if report.only_target is not None:
        return f"all rows that weigh anything have the target {report.only_target:g}, so there was nothing to learn"
    if report.label_shift is not None:
        before, now = report.label_shift.before, report.label_shift.now
        return (f"the labels have a mean of {now.mean:.4g} and a deviation of {now.standard_deviation:.4g}; the model that the training started "
                f"from was trained with {before.mean:.4g} and {before.standard_deviation:.4g}: they may be in other units")
    kept = report.kept_epoch
    if kept is None:
        return None
    advice = "another learning_rate, more or fewer epochs, or standardized numbers may help"
    if kept.valid is not None:
        if not kept.valid.is_worse_than_constant:
            return None
        return f"the model is worse than a constant on the rows of `valid`; {advice}"
    loss, plainly = report.epochs[-1].train_loss, 5  # of the first steps of few rows losses are high without harm
    if not loss > plainly * report.loss_of_guessing:
        return None
    return f"the training has gone astray: its loss is {loss:g}, that of guessing {report.loss_of_guessing:g}; {advice}"
