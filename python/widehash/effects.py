"""Explanations of predictions, row by row."""

from dataclasses import dataclass
from typing import List

import numpy
from numpy.typing import NDArray

from .record import Record


@dataclass(frozen=True, eq=False)
class Effects(Record):
    """Predictions of rows, and the effect of each feature on them.

    The effect of a feature on a row is the change in the row's raw output when the
    feature has its value rather than its mean over the training rows.

    Raw outputs are log odds for the loss `logistic`, logarithms of counts for
    `poisson`, and numbers in the units of the label for `mse`. For `softmax`, a raw
    output is taken less the mean of all outputs.

    For a linear model, `base[outputs] + effects.sum(axis=1)` gives the raw outputs.
    With hidden layers, each effect is computed with all other features at their actual
    values, and the effects need not add up.
    """

    features: List[str]  #: names of the features that have columns, in the order of the schema
    effects: NDArray[numpy.float32]  #: [rows, features]; NaN in bad rows
    #: [rows] output that the effects refer to: the requested one, or the most likely
    outputs: NDArray[numpy.uint32]
    base: NDArray[numpy.float64]  #: [outputs] raw output with every feature at its mean
    predictions: NDArray[numpy.float32]  #: as returned by Model.predict()
