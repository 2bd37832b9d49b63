"""The base class of the package's reports."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Dict

import numpy


def plain(value: Any) -> Any:
    """Convert records and arrays to dicts and lists."""
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, numpy.ndarray):
        return value.tolist()
    return value


@dataclass(frozen=True)
class Record:
    """Base class of all reports."""

    def to_dict(self) -> Dict[str, Any]:
        """Return the fields as a dict of plain values; nested records become dicts too."""
        return {field.name: plain(getattr(self, field.name)) for field in dataclasses.fields(self)}


def with_records(found: Dict[str, Any], **records: Any) -> Dict[str, Any]:
    """Return what the compiled module found, with nested dicts replaced by records."""
    return {**found, **records}
