"""Warnings that point at the line of the user's that asked for what they are about."""

import sys
import warnings


def warn(message: str) -> None:
    """A UserWarning at the first caller outside of this package."""
    package = __name__.partition(".")[0]
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)
