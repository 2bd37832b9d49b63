"""How a model does on rows with labels: the records of evaluate(), and of the epochs of train()."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Dict, List, Optional

import numpy
from numpy.typing import NDArray

from .record import Record, with_records


@dataclass(frozen=True)
class CalibrationBin(Record):
    """Rows of neighbouring predictions; the bins come by prediction, lowest first."""

    weight: float  #: of its rows together
    mean_prediction: float  #: weighted
    mean_target: float  #: weighted


@dataclass(frozen=True)
class OperatingPoint(Record):
    """What one finds who acts on the rows of the highest scores; the points come by what is taken, least first."""

    threshold: float  #: the lowest score that is taken
    taken: float  #: weight of the rows of the threshold and above
    positive: float  #: of it that of positive rows
    taken_share: float  #: of all weight
    precision: float  #: positive / taken
    recall: float  #: positive / weight of all positive rows
    lift: float  #: precision / share of positive weight in all rows


@dataclass(frozen=True)
class ClassMetrics(Record):
    """How a model does on one class. A row is predicted to be of the class that is likeliest, of equal ones the first."""

    name: str  #: as in the schema
    support: float  #: weight of the rows of this class
    predicted: float  #: weight of the rows that are predicted to be of it
    correct: float  #: weight of those of which both is so
    precision: Optional[float]  #: correct / predicted; None where it was never predicted
    recall: Optional[float]  #: correct / support; None where it has no rows
    f1: Optional[float]  #: 2 correct / (support + predicted); None where both are 0


@dataclass(frozen=True)
class GroupMetrics(Record):
    """How a model does on some of the rows; the figures are those of MetricsReport."""

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
    """How it does on the rows that hold one value."""

    value: str


@dataclass(frozen=True)
class FieldMetrics(Record):
    """How it does on the rows of each value of a field."""

    field: str
    values: List[ValueMetrics]  #: heaviest first
    others: Optional[GroupMetrics]  #: of the rows of all values behind the first `most_values`


@dataclass(frozen=True)
class MetricsReport(Record):
    """How a model does on rows with labels (docs/network.md says how each figure is computed)."""

    rows: int
    weight: float  #: of all rows together
    mean_prediction: Optional[float]  #: weighted, of a model of one output, as the next
    mean_target: Optional[float]
    log_loss: Optional[float]  #: mean, weighted; of chances
    auc: Optional[float]  #: where there are rows of two classes
    auc_is_exact: Optional[bool]  #: whether rows were ranked, and not only counted by score
    auc_error_bound: Optional[float]  #: 0 where exact
    #: standard error of log_loss, of counts of poisson_deviance, of other numbers of rmse; None of one row
    loss_standard_error: Optional[float]
    auc_standard_error: Optional[float]
    bias_standard_error: Optional[float]  #: of mean_prediction - mean_target
    calibration_ratio_standard_error: Optional[float]
    average_precision: Optional[float]  #: mean precision over the positive rows; where there are rows of two classes
    positive_share: Optional[float]  #: of the weight, of chances: the average precision of guessing
    accuracy: Optional[float]  #: share of the weight whose likeliest class is that of the target
    rmse: Optional[float]  #: of the target, in the units of the label
    constant_log_loss: Optional[float]  #: of the one prediction that suits the targets best
    constant_rmse: Optional[float]  #: the same
    mae: Optional[float]  #: mean absolute error of numbers and counts
    r2: Optional[float]  #: of numbers and counts, the share of the squares that is explained; None where all targets are one
    poisson_deviance: Optional[float]  #: mean, weighted; of counts
    constant_poisson_deviance: Optional[float]  #: of the mean of the targets
    calibration_ratio: Optional[float]  #: sum of predictions / sum of targets
    expected_calibration_error: Optional[float]  #: mean distance of prediction and target over the bins, weighted
    calibration: List[CalibrationBin] = dataclasses.field(repr=False)
    points: List[OperatingPoint] = dataclasses.field(repr=False)  #: of chances
    macro_precision: Optional[float]  #: of classes, as the next: the mean over those that have rows or were predicted, None as 0
    macro_recall: Optional[float]
    macro_f1: Optional[float]
    classes: List[ClassMetrics] = dataclasses.field(repr=False)  #: by class number; empty of a model that has none
    #: weights [classes, classes], a row for each true class; of evaluate(), up to 1000 classes
    confusion: Optional[NDArray[numpy.float64]] = dataclasses.field(repr=False)
    is_worse_than_constant: bool  #: by log loss, by Poisson deviance of counts, or by RMSE of numbers
    rejected_rows: Optional[int] = None  #: of evaluate(): left out as bad, of a dataset when it was made
    by: List[FieldMetrics] = dataclasses.field(default_factory=list, repr=False)  #: of evaluate(by=...), a field each
    against: Optional["Comparison"] = dataclasses.field(default=None, repr=False)  #: of evaluate(against=...)

    def __eq__(self, other: object) -> bool:
        # That of dataclasses cannot compare arrays.
        return isinstance(other, MetricsReport) and self.to_dict() == other.to_dict()


@dataclass(frozen=True)
class Comparison(Record):
    """What a model is worth beside another one on the same rows."""

    metrics: MetricsReport  #: of the other
    difference: float  #: of the log loss, of counts the Poisson deviance, of other numbers the RMSE: the model's less the other's
    standard_error: Optional[float]  #: of the difference; None of one row


def comparison_or_none(found: Optional[Dict[str, Any]]) -> Optional[Comparison]:
    return None if found is None else Comparison(**with_records(found, metrics=metrics_report(found["metrics"])))


def metrics_report(found: Dict[str, Any]) -> MetricsReport:
    """A MetricsReport of what the compiled module tells."""
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
