"""Why a model says of rows what it says."""

from dataclasses import dataclass
from typing import List

import numpy
from numpy.typing import NDArray

from .record import Record


@dataclass(frozen=True, eq=False)
class Effects(Record):
    """What a model says of rows, and the effect of each feature: how the raw output of a row changes by the feature's value, against the mean
    of the feature over the rows of the training. Raw outputs are log odds for `logistic`, logarithms of counts for `poisson` and numbers in the units of the label for `mse`;
    of `softmax` an output less the mean of all. Of a linear model `base[outputs] + effects.sum(axis=1)` are the raw outputs; with hidden
    layers each effect is told beside all others as they are, and they need not add up."""

    features: List[str]  #: that have columns, in the order of the schema
    effects: NDArray[numpy.float32]  #: [rows, features]; NaN in bad rows
    outputs: NDArray[numpy.uint32]  #: [rows] that the effects are on: one that was asked for, or the likeliest
    base: NDArray[numpy.float64]  #: [outputs] raw output where every feature is at its mean
    predictions: NDArray[numpy.float32]  #: as Model.predict()
