"""Metrics of a model on labelled rows: the records of `evaluate()` and of the epochs of `train()`."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Dict, List, Optional

import numpy
from numpy.typing import NDArray

from .record import Record, with_records


@dataclass(frozen=True)
class CalibrationBin(Record):
    """Rows with neighbouring predictions. Bins are listed by prediction, lowest first."""

    weight: float  #: total weight of its rows
    mean_prediction: float  #: weighted
    mean_target: float  #: weighted


@dataclass(frozen=True)
class OperatingPoint(Record):
    """The result of acting on the rows with the highest scores. Points are sorted by `taken`, ascending."""

    threshold: float  #: the lowest score that is taken
    taken: float  #: weight of the rows with scores of `threshold` and above
    positive: float  #: weight of the positive rows among them
    taken_share: float  #: taken / total weight
    precision: float  #: positive / taken
    recall: float  #: positive / weight of all positive rows
    lift: float  #: precision / share of positive weight in all rows


@dataclass(frozen=True)
class ClassMetrics(Record):
    """Metrics of a model on one class.

    The predicted class of a row is the most likely one; of equally likely classes, the
    first.
    """

    name: str  #: as in the schema
    support: float  #: weight of the rows of this class
    predicted: float  #: weight of the rows predicted to be of this class
    correct: float  #: weight of the rows of this class that are predicted to be of it
    precision: Optional[float]  #: correct / predicted; None if the class was never predicted
    recall: Optional[float]  #: correct / support; None if the class has no rows
    f1: Optional[float]  #: 2 correct / (support + predicted); None if both are 0


@dataclass(frozen=True)
class GroupMetrics(Record):
    """Metrics of a model on some of the rows. They are defined as in MetricsReport."""

    rows: int
    weight: float
    mean_prediction: Optional[float]
    mean_target: Optional[float]
    log_loss: Optional[float]
    constant_log_loss: Optional[float]
    auc: Optional[float]
    auc_error_bound: Optional[float]  #: 0 up to 32,768 rows
    loss_standard_error: Optional[float]
    auc_standard_error: Optional[float]
    bias_standard_error: Optional[float]
    calibration_ratio_standard_error: Optional[float]
    average_precision: Optional[float]
    accuracy: Optional[float]
    macro_f1: Optional[float]
    rmse: Optional[float]
    constant_rmse: Optional[float]
    mae: Optional[float]
    r2: Optional[float]
    poisson_deviance: Optional[float]
    constant_poisson_deviance: Optional[float]
    calibration_ratio: Optional[float]


@dataclass(frozen=True)
class ValueMetrics(GroupMetrics):
    """Metrics of a model on the rows with one value."""

    value: str


@dataclass(frozen=True)
class FieldMetrics(Record):
    """Metrics of a model on the rows of each value of a field."""

    field: str
    values: List[ValueMetrics]  #: heaviest first
    others: Optional[GroupMetrics]  #: the rows of all values beyond the first `most_values`


@dataclass(frozen=True)
class MetricsReport(Record):
    """Metrics of a model on labelled rows.

    A metric that the task or the rows do not define is None. docs/network.md says how
    each metric is computed.
    """

    rows: int
    weight: float  #: total weight of the rows
    mean_prediction: Optional[float]  #: weighted; for models with one output, as is mean_target
    mean_target: Optional[float]
    log_loss: Optional[float]  #: weighted mean; for probabilities
    auc: Optional[float]  #: if there are rows of two classes
    auc_is_exact: Optional[bool]  #: whether rows were ranked, not only counted by score
    auc_error_bound: Optional[float]  #: 0 if exact
    #: standard error of log_loss; for counts, of poisson_deviance; for other numbers, of rmse; None
    #: for a single row
    loss_standard_error: Optional[float]
    auc_standard_error: Optional[float]
    bias_standard_error: Optional[float]  #: of mean_prediction - mean_target
    calibration_ratio_standard_error: Optional[float]
    #: mean precision over the positive rows, if there are rows of two classes
    average_precision: Optional[float]
    #: share of positive weight, for probabilities: the average precision of guessing
    positive_share: Optional[float]
    accuracy: Optional[float]  #: share of the weight whose most likely class is that of the target
    rmse: Optional[float]  #: of the target, in units of the label
    constant_log_loss: Optional[float]  #: of the single prediction that fits the targets best
    constant_rmse: Optional[float]  #: likewise
    mae: Optional[float]  #: mean absolute error, for numbers and counts
    #: share of the squares that is explained, for numbers and counts; None if all targets are equal
    r2: Optional[float]
    poisson_deviance: Optional[float]  #: weighted mean, for counts
    constant_poisson_deviance: Optional[float]  #: of the mean of the targets
    calibration_ratio: Optional[float]  #: sum of predictions / sum of targets
    #: weighted mean distance between prediction and target over the bins
    expected_calibration_error: Optional[float]
    calibration: List[CalibrationBin] = dataclasses.field(repr=False)
    points: List[OperatingPoint] = dataclasses.field(repr=False)  #: for probabilities
    #: mean over the classes that have rows or were predicted, with None as 0; likewise the next two
    macro_precision: Optional[float]
    macro_recall: Optional[float]
    macro_f1: Optional[float]
    #: by class number; empty if the model has no classes
    classes: List[ClassMetrics] = dataclasses.field(repr=False)
    #: weights [classes, classes], one row for each true class; evaluate() only, up to 1000 classes
    confusion: Optional[NDArray[numpy.float64]] = dataclasses.field(repr=False)
    is_worse_than_constant: bool  #: by log loss; for counts, by Poisson deviance; for other numbers, by RMSE
    #: evaluate() only: rows left out as bad; for a dataset, when it was made
    rejected_rows: Optional[int] = None
    #: evaluate(by=...) only: one entry for each field
    by: List[FieldMetrics] = dataclasses.field(default_factory=list, repr=False)
    #: evaluate(against=...) only
    against: Optional["Comparison"] = dataclasses.field(default=None, repr=False)

    def __eq__(self, other: object) -> bool:
        # The comparison of dataclasses cannot compare arrays.
        return isinstance(other, MetricsReport) and self.to_dict() == other.to_dict()


@dataclass(frozen=True)
class Comparison(Record):
    """Comparison of a model with another one on the same rows."""

    metrics: MetricsReport  #: metrics of the other model
    #: log loss (for counts, Poisson deviance; for other numbers, RMSE) of the model less that of
    #: the other
    difference: float
    standard_error: Optional[float]  #: of the difference; None for a single row


def comparison_or_none(found: Optional[Dict[str, Any]]) -> Optional[Comparison]:
    return None if found is None else Comparison(**with_records(found, metrics=metrics_report(found["metrics"])))


def metrics_report(found: Dict[str, Any]) -> MetricsReport:
    """Make a MetricsReport from what the compiled module returns."""
    return MetricsReport(**with_records(found, calibration=[CalibrationBin(**item) for item in found["calibration"]],
                                        points=[OperatingPoint(**item) for item in found["points"]],
                                        classes=[ClassMetrics(**item) for item in found["classes"]],
                                        by=[field_metrics(item) for item in found.get("by", [])],
                                        against=comparison_or_none(found.get("against"))))


def field_metrics(found: Dict[str, Any]) -> FieldMetrics:
    others = found["others"]
    return FieldMetrics(found["field"], [ValueMetrics(**item) for item in found["values"]],
                        None if others is None else GroupMetrics(**others))


def metrics_or_none(found: Optional[Dict[str, Any]]) -> Optional[MetricsReport]:
    return None if found is None else metrics_report(found)
