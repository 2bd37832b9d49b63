"""The report that `train()` returns, and its parts: records as those of reports.py.

The `seconds` here are parts of the training; its total time is for the caller to measure.
"""

import dataclasses
from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from .metrics import MetricsReport, metrics_or_none
from .record import Record, with_records


@dataclass(frozen=True)
class EpochReport(Record):
    """One epoch of `train()`."""

    epoch: int  #: from 1; 0 is the model that training started from, which has only `valid`
    train_loss: float  #: weighted mean loss, each batch before its update
    valid: Optional[MetricsReport]  #: on the dataset `valid`
    rows: int  #: in the whole epoch
    rows_this_run: int  #: fewer if the epoch was resumed
    seconds: float  #: in this run


@dataclass(frozen=True)
class OptimizerSettings(Record):
    """The optimizer settings that were used."""

    kind: Literal["ftrl", "adagrad", "adam", "rmsprop", "sgd"]
    learning_rate: float  #: at the start
    decay_steps: float  #: steps over which the learning rate falls linearly to 0; 0 if it is constant
    decay_start: float  #: steps before it begins to fall
    l1: float
    l2: float
    beta: float  #: ftrl only
    beta1: float  #: adam only, as is beta2
    beta2: float
    rho: float  #: rmsprop only
    epsilon: float  #: adagrad, adam and rmsprop only
    mean_weight: float  #: mean weight of the training rows; 0 if they have no weights


@dataclass(frozen=True)
class DeviceReport(Record):
    """How one device spent its time. The shares add up to 1."""

    rank: int  #: among all devices
    device: str  #: as in the argument `devices`
    seconds: float  #: duration of the training
    read_share: float  #: gathering rows and waiting for them
    compute_share: float
    communicate_share: float  #: moving numbers between devices and summing them
    wait_share: float  #: waiting for slower devices
    bytes_sent: int  #: to other devices
    bytes_sent_to_other_hosts: int  #: of these


@dataclass(frozen=True)
class LabelMoments(Record):
    """Mean and standard deviation of labels."""

    mean: float
    standard_deviation: float


@dataclass(frozen=True)
class LabelShift(Record):
    """Labels that a model was trained with, and labels of a training that starts from it."""

    before: LabelMoments
    now: LabelMoments


@dataclass(frozen=True)
class TrainReport(Record):
    """What `train()` did."""

    rows: int  #: rows trained on, over all epochs
    epochs: List[EpochReport] = dataclasses.field(repr=False)  #: of this run
    start: Optional[MetricsReport]  #: metrics on `valid` of the model that training started from
    class_weights: Optional[List[float]]  #: as used, in the order of the classes; None where classes were not weighed
    own_rows: Optional[str]  #: a dataset or an input whose rows were used both for training and for `valid`
    repeated_rows: Optional[str]  #: an input whose rows are in two of the datasets and therefore count twice
    #: the target of all rows with nonzero weight if they share one; there is then nothing to learn
    only_target: Optional[float]
    #: if the labels seem to have another unit than those of the model that training started from
    label_shift: Optional[LabelShift]
    #: loss of an output that knows nothing; if the last epoch's loss is above it, training has gone
    #: astray
    loss_of_guessing: float
    best_epoch: int  #: epoch whose parameters the model holds: the best on `valid`, or else the last
    #: log loss (counts: Poisson deviance; numbers: RMSE) on `valid` of that epoch, perhaps from an
    #: earlier run
    best_valid_loss: Optional[float]
    start_valid_loss: Optional[float]  #: the same for the model that training started from
    stopped_early: bool  #: whether `early_stop` ended training before the last epoch
    batch_size: int  #: given or chosen
    num_columns: int  #: of the matrix
    num_parameters: int
    optimizer: OptimizerSettings
    #: whether the optimizer's state was taken from the model that training started from; None
    #: without one
    kept_state: Optional[bool]
    efficiency: float  #: share of the devices' time spent reading and computing
    threads: int  #: that a device could use
    #: those that took its steps, averaged over the rows: fewer where more were slower
    mean_threads: float
    devices: List[DeviceReport] = dataclasses.field(repr=False)
    is_main: bool  #: for several processes, whether this is the one with the complete report
    #: whether the kept model is worse on `valid` than a constant; None if nothing was evaluated
    is_worse_than_constant: Optional[bool]
    is_astray: bool  #: without `valid`: whether the training loss is far above that of guessing

    @property
    def kept_epoch(self) -> Optional[EpochReport]:
        """The epoch whose parameters the model holds; None if it was not trained in this run."""
        return next((epoch for epoch in self.epochs if epoch.epoch == self.best_epoch), None)

    def __repr__(self) -> str:
        # Only the kept epoch: all of them would fill pages of a notebook.
        shown = ["kept_epoch", *(field.name for field in dataclasses.fields(self) if field.repr)]
        return f"TrainReport({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


def label_shift(found: Optional[Dict[str, Any]]) -> Optional[LabelShift]:
    return None if found is None else LabelShift(before=LabelMoments(**found["before"]), now=LabelMoments(**found["now"]))


def epoch(found: Dict[str, Any]) -> EpochReport:
    """Make an EpochReport from what the compiled module returns."""
    return EpochReport(**with_records(found, valid=metrics_or_none(found["valid"])))
