"""The exceptions of the package.

Their types are part of the interface, and their messages are not. Every message names
what is wrong (file, row, key) and says what to do about it.
"""

import errno
import os
from typing import Any, Optional, Tuple

# Imported here so that the compiled module need not import it while the interpreter shuts down.
from .wording import in_python  # noqa: F401


class Error(Exception):
    """Base class of all exceptions that the package raises deliberately."""


class ConfigError(Error, ValueError):
    """The request is wrong: a schema key, an option, or a model used with another schema."""


class DataError(Error, ValueError):
    """The data is wrong: a bad row, or a truncated or altered file.

    `path` is the file. `row` counts from 1, and is 0 if the error concerns `path` as a
    whole.
    """

    def __init__(self, message: str, path: str = "", row: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.row = row

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self.message, self.path, self.row)


class FileError(Error, OSError):
    """The operating system refused an operation: no such file, no permission, no space.

    Has the `errno` and `filename` of an OSError. Missing files and denied permissions
    raise the subclasses MissingFileError and ForbiddenFileError, which are also a
    FileNotFoundError and a PermissionError.
    """

    errno: Any  #: int, or None if the operating system gave none
    strerror: Any  #: str, or None if there is no errno

    def __init__(self, message: str, path: str = "", code: Optional[int] = None) -> None:
        super().__init__(message)
        self.message = message
        self.filename = path
        self.errno = code
        self.strerror = None if code is None else os.strerror(code)

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> Tuple[Any, ...]:
        return file_error, (self.message, self.filename, self.errno)


class MissingFileError(FileError, FileNotFoundError):
    """The file does not exist."""


class ForbiddenFileError(FileError, PermissionError):
    """The operating system denied access to the file."""


def file_error(message: str, path: str = "", code: Optional[int] = None) -> FileError:
    """Make a FileError of the subclass that fits `code`."""
    kinds = {errno.ENOENT: MissingFileError, errno.EACCES: ForbiddenFileError, errno.EPERM: ForbiddenFileError}
    return kinds.get(code or 0, FileError)(message, path, code)


class ShapeError(Error, ValueError):
    """The sizes of the operands do not match."""


class DeviceError(Error):
    """A compute device is missing, out of memory or has failed."""


class CommError(Error):
    """Another process or device of a job failed, is gone or disagrees."""


class Stopped(Error):
    """The work was stopped on request, at a safe point.

    The message says what was kept and how to continue.
    """
