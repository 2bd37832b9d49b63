"""Warnings that point at the user's line that caused them."""

import os
import sys
import warnings
from typing import Optional, Sequence

from .arguments import FilePath


def warn(message: str) -> None:
    """Issue a UserWarning at the innermost caller outside this package."""
    package = __name__.partition(".")[0]
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)


def warn_of_nothing_to_undo(model: FilePath, class_weights: Optional[Sequence[float]]) -> None:
    """Issue a UserWarning if a model whose class weights are to be undone has none."""
    if not class_weights:
        warn(f"{os.fsdecode(model)}: was trained without class weights, so undo_class_weights changes nothing")
