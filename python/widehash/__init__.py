"""Tables of categorical values as compact sparse matrices by hashing, and wide networks trained on them."""

from .errors import CommError, ConfigError, DataError, DeviceError, Error, FileError, ShapeError, Stopped
from ._core import Schema, __version__, load_schema, parse_schema
