"""Converts the y and sample_weight of scikit-learn."""

from typing import Any, Dict, List, Optional, Set

import numpy
from numpy.typing import NDArray
from sklearn.utils.validation import assert_all_finite, column_or_1d

from .columns import is_missing
from .training import class_name


class Classes:
    """The classes of y, and the text that the label of the schema has for each."""

    def __init__(self, values: NDArray[Any]) -> None:
        if len(values) < 2:
            raise ValueError(f"y has only one class, {values[0]!r}; a classifier needs two or more" if len(values) else "y has no rows")
        self.values = values
        self.names = _class_names(values)

    def label(self) -> Dict[str, Any]:
        """Return the keys of the schema's label that describe the classes."""
        two = len(self.names) == 2
        return {"positive": [self.names[1]], "negative": [self.names[0]]} if two else {"classes": self.names}

    def labels_of(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the label text of each value. Raises ValueError for an unknown class."""
        kinds = {self.values.dtype.kind, values.dtype.kind}
        if "U" in kinds and not kinds <= {"U", "O"}:
            # A text never equals a number, and numpy does not compare such arrays element by element.
            raise ValueError(f"y has a class that is not one of {self.values.tolist()}, {values[0]!r}")
        places = numpy.clip(numpy.searchsorted(self.values, values), 0, len(self.values) - 1)
        are_known = self.values[places] == values
        if not numpy.all(are_known):
            raise ValueError(f"y has a class that is not one of {self.values.tolist()}, {values[~are_known][0]!r}")
        return numpy.array(self.names, dtype=object)[places]


def target_column(y: Any) -> NDArray[Any]:
    """Return y as a one-dimensional array without missing values."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    values: NDArray[Any] = numpy.asarray(y)
    if values.dtype == object:
        if any(is_missing(value) for value in values.flat):
            raise ValueError("Input y contains NaN: the target has missing values; leave these rows out")
        # From nullable columns of a data frame, for which numpy has no dtype.
        kinds: Set[type] = set(map(type, values.flat))
        if len(kinds) == 1 and issubclass(next(iter(kinds)), (bool, int, float, str, numpy.bool_, numpy.number)):
            values = numpy.array(values.tolist())
    values = column_or_1d(values, warn=True)
    if values.dtype.kind in "mM" and numpy.isnat(values).any():
        raise ValueError("Input y contains NaT: the target has missing values; leave these rows out")
    if values.dtype.kind in "OfU":
        assert_all_finite(values, input_name="y")
    return values


def target_name(y: Any) -> Optional[str]:
    """Return the name of y if it is a named column, otherwise None."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else None


def target_numbers(y: Any, loss: str) -> NDArray[numpy.float64]:
    """Return y as numbers, checked against the loss."""
    values = target_column(y)
    if values.dtype.kind in "mM":
        raise ValueError(f"y has the type {values.dtype}: times are not numbers; convert them to days or hours")
    numbers = values.astype(numpy.float64)
    if loss == "poisson" and (numbers < 0).any():
        row = int(numpy.argmax(numbers < 0))
        raise ValueError(f"y[{row}] is {numbers[row]:g}, but the loss poisson takes counts and rates of 0 or above")
    return numbers


def row_weights(sample_weight: Any, num_rows: int) -> Optional[NDArray[numpy.float64]]:
    """Check sample_weight: finite numbers of at least 0, not all 0, one for each row."""
    if sample_weight is None:
        return None
    weights = numpy.asarray(sample_weight, dtype=numpy.float64)
    if weights.shape != (num_rows,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(num_rows,)}!")
    are_weights = numpy.isfinite(weights) & (weights >= 0)
    if not are_weights.all():
        row = int(numpy.argmin(are_weights))
        raise ValueError(f"sample_weight[{row}] is {weights[row]:g}; weights must be finite numbers of at least 0")
    if not weights.any():
        raise ValueError("sample_weight is zero for every row, so there is nothing to train on")
    return weights


def held_out(targets: NDArray[Any], fraction: float, seed: int, by_class: bool) -> NDArray[numpy.bool_]:
    """Choose this fraction of the rows at random, rounded down, as a mask.

    With `by_class`, every class contributes the same fraction, to within one row.
    """
    if isinstance(fraction, bool) or not isinstance(fraction, (float, numpy.floating)) or not 0 < fraction < 1:
        raise ValueError(f"validation_fraction = {fraction!r}: must be a number between 0 and 1, or None")
    order = numpy.random.default_rng(seed).permutation(len(targets))
    if by_class:
        order = order[numpy.argsort(targets[order], kind="stable")]
    # Evenly spaced rows, so that each class gets its share after sorting by class.
    counts = numpy.floor(numpy.arange(len(targets) + 1) * fraction)
    chosen = numpy.zeros(len(targets), dtype=bool)
    chosen[order[numpy.diff(counts) > 0]] = True
    if not chosen.any():
        raise ValueError(f"validation_fraction = {fraction!r} of {len(targets)} rows is less than one row")
    return chosen


def _class_names(known: NDArray[Any]) -> List[str]:
    """Return what the label has for each class.

    This is the text of the class, or its number if a class has no text or two have the
    same.
    """
    try:
        names = [class_name(value).decode() for value in known.tolist()]
    except (TypeError, UnicodeDecodeError):
        names = []
    is_named = all(name and name == name.strip() for name in names) and len(set(names)) == len(known)
    return names if is_named else [str(number) for number in range(len(known))]
