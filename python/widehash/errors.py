"""The exceptions of the package. Their types are the interface, their texts are not. Every text names the thing that is wrong
(file, row, key) and what to do about it."""


class Error(Exception):
    """Everything that the package raises on purpose."""


class ConfigError(Error, ValueError):
    """What was asked for is wrong: a schema key, an option, a model used with another schema."""


class DataError(Error, ValueError):
    """The data is wrong: a bad row, a cut or altered file. `row` counts from 1; 0 where `path` as a whole is meant."""

    def __init__(self, message, path="", row=0):
        super().__init__(message)
        self.path = path
        self.row = row


class FileError(Error, OSError):
    """The operating system refused: no such file, no permission, no space. Has the errno and filename of an OSError."""

    def __init__(self, message, path="", code=None):
        super().__init__(message)
        self.message = message
        self.filename = path
        self.errno = code

    def __str__(self):
        return self.message


class ShapeError(Error, ValueError):
    """Operands whose sizes do not fit together."""


class DeviceError(Error):
    """A compute device is missing, out of memory or failed."""


class CommError(Error):
    """Another participant of a training is gone or disagrees."""


class Stopped(Error):
    """The work ended because it was asked to, at a sound point. The text says what is kept and how to go on."""
