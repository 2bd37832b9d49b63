"""Features that the estimators use if no mapping describes them."""

import re
from collections.abc import Mapping
from typing import Any, Dict, List, Optional, Sequence

from . import doubts
from .columns import is_categorical
from .errors import ConfigError
from .ingest import inspect
from .reports import FieldReport
from .schema import settings_text


def proposal(rows: Dict[str, Any], settings: Mapping[str, Any], threads: Optional[int], are_chosen: bool) -> str:
    """Return the schema that `inspect()` proposes, as TOML, with these settings.

    It differs from the proposal in three ways: numbers with fractions also become
    standardized numeric features; categories are only hashed, even if they are numbers;
    and columns that identify rows are left out, unless the user chose the columns
    (`are_chosen`).
    """
    if "" in rows:
        raise ConfigError("a column of X has no name, as when row numbers were written to a file; give it one, or leave it out")
    report = inspect(rows, threads=threads)
    if report.left_out:
        raise ConfigError(f"{report.left_out[0]}; or leave the column out of X, or give `features`")
    categories = {name for name, column in rows.items() if is_categorical(column)}
    measures = {field.name for field in report.fields if _is_measure(field, settings.get("missing_values", ()))} - categories
    for field in report.fields:
        if field.other_writing and field.name not in categories:
            doubts.warn(f"column {field.name!r} holds {field.other_writing.partition(', which')[0]}, so it is treated as text and hashed: convert the "
                        "column first if it measures something")
        elif field.texts_among_numbers and field.name not in measures | categories:
            doubts.warn(f"column {field.name!r} holds numbers but also {', '.join(map(repr, field.texts_among_numbers))}, so it is treated as "
                        f"text and hashed: if it measures something, settings = {{'missing_values': {field.texts_among_numbers!r}}} makes "
                        "these missing")
    head, *features = re.split(r"^\[\[feature\]\]\n", report.toml, flags=re.MULTILINE)
    if not features:
        raise ConfigError("no column can become a feature; give `features`")
    lists = {name for name, keys in zip(report.schema.features, features) if "separator =" in keys}
    identifiers = {field.name for field in report.fields if _is_identifier(field)} - categories - lists
    if are_chosen or len(identifiers) == len(report.fields):
        identifiers = set()  # the user asked for them, or there is nothing else to learn from
    for name in sorted(identifiers):
        doubts.warn(f"column {name!r} has a different text in nearly every row, which says nothing about other rows, so it is left out: "
                    "give it in `features` to use it")
    missing = re.search(r"^missing_values = .*\n", head, flags=re.MULTILINE)
    are_other_missing = missing is not None and "missing_values" in settings
    toml = settings_text(settings) + (missing[0] if missing and not are_other_missing else "")
    # Under these settings, texts that the proposal takes as missing are values. Only hashed features take every text.
    only_hashed = {field.name for field in report.fields if are_other_missing and field.missing and _may_hold_texts(rows[field.name])} - lists
    measures -= only_hashed
    names = list(report.schema.features)
    counts = {field.name: field.distinct + (field.missing > 0) for field in report.fields}
    for name, keys in zip(report.schema.features, features):
        is_interval = "boundaries =" in keys
        part_of = only_hashed if "time_part =" in keys else only_hashed | categories if is_interval else set()
        category = next((field for field in part_of if settings_text({"field": field}) in keys), None)
        if name in identifiers:
            keys = settings_text({"field": name, "encoding": "ignore"})
        elif category == name:
            keys = settings_text({"field": name, "cardinality": max(1, round(counts[name]))})
        elif category is not None:
            continue  # intervals or a part of what is only hashed
        elif name in measures and "separator =" not in keys:
            toml += "[[feature]]\n" + settings_text({"field": name, "encoding": "numeric", "transform": "standardize"})
            names.append(unused(f"{name} {'interval' if is_interval else 'value'}", names))
            keys = settings_text({"name": names[-1]}) + keys
        toml += "[[feature]]\n" + keys
    return toml


def _is_identifier(field: FieldReport) -> bool:
    """Return whether the field identifies the row, as `inspect()` notes."""
    return field.is_nearly_unique and field.type == "text" and not field.other_writing


def _may_hold_texts(column: Any) -> bool:
    return getattr(getattr(column, "dtype", None), "kind", "O") in "OUST"


def _is_measure(field: FieldReport, missing_values: Sequence[str]) -> bool:
    """Return whether the field holds numbers with fractions.

    Encoding then rejects rows with non-finite values.
    """
    texts = set(field.texts_among_numbers) - set(missing_values)
    if not field.texts_among_numbers or texts - {"inf", "-inf"}:
        return field.type == "number"
    return any(set(value) & set(".eE") for value in field.examples if value not in field.texts_among_numbers)


def unused(name: str, names: List[str]) -> str:
    """Return `name`, with underscores appended until it is not in `names`."""
    while name in names:
        name += "_"
    return name
