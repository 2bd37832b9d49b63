"""The exceptions of the package. Their types are the interface, their texts are not. Every text names the thing that is wrong
(file, row, key) and what to do about it."""

import errno
import os
from typing import Any, Optional, Tuple

from .wording import in_python  # noqa: F401, of the compiled part, which must not have to look for it when the interpreter ends


class Error(Exception):
    """Everything that the package raises on purpose."""


class ConfigError(Error, ValueError):
    """What was asked for is wrong: a schema key, an option, a model used with another schema."""


class DataError(Error, ValueError):
    """The data is wrong: a bad row, a cut or altered file. `row` counts from 1; 0 where `path` as a whole is meant."""

    def __init__(self, message: str, path: str = "", row: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.row = row

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self.message, self.path, self.row)


class FileError(Error, OSError):
    """The operating system refused: no such file, no permission, no space. Has the errno and filename of an OSError, and is
    a FileNotFoundError, PermissionError, ... where that is what happened."""

    errno: Any  #: int, or None where the operating system gave none
    strerror: Any  #: str, or None likewise

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
    """There is no such file."""


class ForbiddenFileError(FileError, PermissionError):
    """The file may not be used so."""


def file_error(message: str, path: str = "", code: Optional[int] = None) -> FileError:
    """A FileError of the class that goes with `code`."""
    kinds = {errno.ENOENT: MissingFileError, errno.EACCES: ForbiddenFileError, errno.EPERM: ForbiddenFileError}
    return kinds.get(code or 0, FileError)(message, path, code)


class ShapeError(Error, ValueError):
    """Operands whose sizes do not fit together."""


class DeviceError(Error):
    """A compute device is missing, out of memory or failed."""


class CommError(Error):
    """Another participant of a training is gone or disagrees."""


class Stopped(Error):
    """The work ended because it was asked to, at a sound point. The text says what is kept and how to go on."""
