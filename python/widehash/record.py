"""The base of what the jobs of the package find."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Dict

import numpy


def plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, numpy.ndarray):
        return value.tolist()
    return value


@dataclass(frozen=True)
class Record:
    """The base of all reports."""

    def to_dict(self) -> Dict[str, Any]:
        """Names and values, those of records within as dicts too."""
        return {field.name: plain(getattr(self, field.name)) for field in dataclasses.fields(self)}


def with_records(found: Dict[str, Any], **records: Any) -> Dict[str, Any]:
    """What the compiled module tells, with the dicts in it made records."""
    return {**found, **records}
