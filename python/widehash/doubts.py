"""Warnings that point at the user's line that caused them."""

import sys
import warnings


def warn(message: str) -> None:
    """Issue a UserWarning at the innermost caller outside this package."""
    package = __name__.partition(".")[0]
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)
