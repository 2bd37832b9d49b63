"""The figures of a run of bench/gpu/run.sh as one table: on a terminal, and as a section for docs/benchmarks.md.

    table.py WORK_FOLDER [--markdown FILE]

WORK_FOLDER holds device_bench-*.json and, if they were measured, train-*.json and torch-*.json. What is missing is shown in
the table as "not measured".
"""

import argparse
import os
import statistics
import sys

import reports

MISSING = "not measured"

# The kernels of a step and alternatives to them: first/NAME of device_bench.
FIRST_LAYER = [
    ("turn", "codes turned slot by slot"),
    ("linear", "sums, loss and deltas in one"),
    ("gather", "sums"),
    ("gather_bfloat16", "sums from weights in bfloat16"),
    ("staged", "sums from weights in shared memory"),
    ("gradient", "gradient in fixed point"),
    ("add_floats", "gradient by additions of floats in device memory"),
    ("add_vectors", "gradient by additions of four floats"),
    ("sorted", "gradient by sorting (CUB)"),
    ("update", "update by Adagrad"),
]


def read(folder, name):
    return reports.read(os.path.join(folder, name))


def benchmarks(report):
    """Name -> figures of the median repetition, with those of the slowest one as "slowest"."""
    repetitions = {}
    for entry in report["benchmarks"] if report else []:
        if entry.get("run_type") != "aggregate" and not entry.get("error_occurred"):
            repetitions.setdefault(plain_name(entry), []).append(entry)
    found = {}
    for name, entries in repetitions.items():
        entries.sort(key=lambda entry: entry["real_time"])
        found[name] = dict(entries[len(entries) // 2], slowest=entries[-1])
    return found


def plain_name(entry):
    """A benchmark's name without the suffixes that Google Benchmark adds."""
    name = entry["name"].replace("/manual_time", "").replace("/real_time", "")
    return "/".join(part for part in name.split("/") if not part.startswith("repeats:"))


def errors(report):
    """Name -> error message, for the benchmarks that ended with an error."""
    return {plain_name(entry): entry.get("error_message", "an error")
            for entry in (report["benchmarks"] if report else []) if entry.get("error_occurred")}


def rate(entry, key, scale, unit):
    if not entry or key not in entry:
        return MISSING
    return figure_of(entry[key], entry["slowest"][key], scale, unit)


def figure_of(middle, least, scale, unit):
    """The median of several measurements, and the least of them."""
    text = f"{middle / scale:,.1f} {unit}"
    return text if least == middle else f"{text}, least {least / scale:,.1f}"


def time_of(entry, key):
    if not entry or key not in entry:
        return MISSING
    return f"{1e6 * reports.seconds(entry, key):,.2f} us"


def share(entry, limit):
    if not entry or not limit:
        return ""
    return f"{100 * entry['bytes_per_second'] / limit['bytes_per_second']:.0f} % of the copy"


def share_of_additions(entry, limit):
    if not entry or not limit:
        return ""
    return f"{100 * entry['items_per_second'] * entry['additions_per_row'] / limit['items_per_second']:.0f} % of the additions"


def measured_training(report, rate_report=None):
    """Rate and loss. The rate is from the epochs of `rate_report` if it is given, without the first epoch, which allocates
    memory and reads every byte."""
    if not report:
        return MISSING, ""
    loss = report.get("log_loss")
    rated = rate_report or report
    epochs = rated.get("epochs") or [rated]
    rates = [epoch["rows_per_second"] for epoch in epochs[1:] or epochs]
    return figure_of(statistics.median(rates), min(rates), 1e6, "M rows/s"), "" if loss is None else f"{loss:.4f}"


def measured_torch(report):
    """Rate, with the way that reached it and the ways that failed, and loss."""
    figure, loss = measured_training(report)
    if not report:
        return figure, loss
    failed = "".join(f"; {way} FAILED" for way in report.get("failed", {}))
    return f"{figure} ({report.get('way', 'plain')}{failed})", loss


def rows_of(folder):
    """(operation, figure, share of its limit, log loss)"""
    report = reports.read_device_bench(folder)
    at = benchmarks(report).get
    wrong = errors(report)
    memory, cache, bus = at("limit/memory_copy"), at("limit/cache_read"), at("limit/bus_copy")
    rows = [
        ("device memory, copied (read and written)", rate(memory, "bytes_per_second", 1e9, "GB/s"), "", ""),
        ("second cache, read", rate(cache, "bytes_per_second", 1e9, "GB/s"), "", ""),
        ("shared memory, 64-bit additions, a lane in each bank",
         rate(at("limit/shared_add"), "items_per_second", 1e9, "G/s"), "", ""),
        ("shared memory, 64-bit additions anywhere",
         rate(at("limit/shared_add_anywhere"), "items_per_second", 1e9, "G/s"), "", ""),
        ("an empty kernel of many in a queue: on the device", time_of(at("limit/launch"), "real_time"), "", ""),
        ("an empty kernel of many in a queue: on the host", time_of(at("limit/launch"), "issue_us"), "", ""),
        ("host to device, pinned", rate(bus, "bytes_per_second", 1e9, "GB/s"), "", ""),
        ("XXH64 of 8-byte texts", rate(at("hash/text8"), "items_per_second", 1e9, "G values/s"),
         share(at("hash/text8"), memory), ""),
        ("XXH64 of 32-bit numbers as text", rate(at("hash/uint32"), "items_per_second", 1e9, "G values/s"),
         share(at("hash/uint32"), memory), ""),
        ("26 numbers to codes, row by row", rate(at("encode/by_row"), "items_per_second", 1e6, "M rows/s"),
         share(at("encode/by_row"), memory), ""),
        ("26 numbers to codes, slot by slot", rate(at("encode/by_slot"), "items_per_second", 1e6, "M rows/s"),
         share(at("encode/by_slot"), memory), ""),
    ]
    adds = at("limit/shared_add")
    for name, what in FIRST_LAYER:
        for units, unit_text in (("", "1 unit"), ("/1", "1 unit"), ("/32", "32 units")):
            entry = at(f"first/{name}{units}")
            if f"first/{name}{units}" in wrong:
                rows.append((f"first layer, {what}, {unit_text}", f"WRONG: {wrong[f'first/{name}{units}']}", "", ""))
            elif entry:
                rows.append((f"first layer, {what}, {unit_text}", rate(entry, "items_per_second", 1e6, "M rows/s"),
                             share_of_additions(entry, adds) if name == "gradient" else "", ""))
    for way, what in (("pass", "in one kernel"), ("pieces", "in thirteen kernels and two products")):
        for num_rows in (512, 65536):
            name = f"tail/{way}/{num_rows}"
            figure = f"WRONG: {wrong[name]}" if name in wrong else rate(at(name), "items_per_second", 1e6, "M rows/s")
            # A few rows stay in the second-level cache in any case.
            of_limit = share(at(name), memory) if num_rows == 65536 else ""
            rows.append((f"32 hidden units to a loss and back, {what}, {num_rows:,} rows", figure, of_limit, ""))
    for units in (1, 32):
        for way, what in (("forward", "X W"), ("backward", "X^T D")):
            entry = at(f"cusparse/{way}/{units}")
            rows.append((f"cuSPARSE, {what}, {units} units", rate(entry, "items_per_second", 1e6, "M rows/s"), "", ""))
    for units, model, text in (("0", "none", "linear"), ("32", "32", "32 hidden units")):
        step = at(f"train/device/{units}")
        loss = f"{step['log_loss']:.4f} (of a batch)" if step and "log_loss" in step else ""
        rows.append((f"widehash, {text}, codes in device memory", rate(step, "items_per_second", 1e6, "M rows/s"), "", loss))
        rows.append((f"widehash, {text}, columns of 32-bit numbers copied and hashed",
                     rate(at(f"train/raw_columns/{units}"), "items_per_second", 1e6, "M rows/s"), "", ""))
        rows.append((f"widehash, {text}, the batch copied from the host",
                     rate(at(f"train/host_batch/{units}"), "items_per_second", 1e6, "M rows/s"), "", ""))
        for program, where, name in (("train", "host", "widehash train"), ("torch", "device", "PyTorch EmbeddingBag"),
                                     ("torch", "host", "PyTorch EmbeddingBag")):
            source = "rows in device memory" if where == "device" else "rows on the host"
            if program == "train":
                figure, loss = measured_training(read(folder, f"train-host-{model}-1.json"),
                                                 read(folder, f"train-host-{model}-20.json"))
            else:
                figure, loss = measured_torch(read(folder, f"torch-{where}-{model}.json"))
            rows.append((f"{name}, {text}, {source}", figure, "", loss))
    return rows


def device_name(folder):
    report = reports.read_device_bench(folder)
    return report["context"].get("device", "a GPU") if report else "no device"


def markdown(folder):
    lines = [f"## On one GPU: {device_name(folder)}", "",
             "Measured by `bash bench/gpu/run.sh`, all in one run: the median, and the least where it is another.", "",
             "| operation | rate | share of its limit | log loss |", "|---|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in rows_of(folder)]
    return "\n".join(lines) + "\n"


def text(folder):
    rows = [("operation", "rate", "share of its limit", "log loss"), *rows_of(folder)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--markdown")
    options = parser.parse_args()
    print(device_name(options.folder))
    print(text(options.folder))
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write(markdown(options.folder))
        print(f"Written as a section for docs/benchmarks.md: {options.markdown}", file=sys.stderr)


if __name__ == "__main__":
    main()
