"""Reads the output of device_bench and of the trainings in bench/gpu/run.sh."""

import glob
import json
import os

TIME_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def seconds(entry, key):
    """A time of a benchmark: "real_time", in the unit that it names, or a counter in microseconds."""
    return entry[key] * (TIME_UNITS[entry.get("time_unit", "ns")] if key == "real_time" else 1e-6)


def read_device_bench(folder):
    """The reports of all groups of benchmarks as one; None if there are none."""
    reports = [read(path) for path in sorted(glob.glob(os.path.join(folder, "device_bench-*.json")))]
    reports = [report for report in reports if report]
    if not reports:
        return None
    return dict(reports[0], benchmarks=[entry for report in reports for entry in report.get("benchmarks", [])])


def read(path):
    """The report, or None if there is none. A truncated report of Google Benchmark gives the benchmarks that were finished."""
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return None
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        return json.loads(text)
    except ValueError:
        whole = text.rfind("},")
        try:
            return json.loads(text[:whole] + "}]}") if whole >= 0 else None
        except ValueError:
            return None
