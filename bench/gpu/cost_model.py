"""Predicts the rows/s of training on 1 to 8 GPUs and up to 64 hosts from measurements of one device and its links.

    cost_model.py [WORK_FOLDER] [--batch 65536] [--columns D] [--slots 104] [--mix-every 16]

WORK_FOLDER (default build/gpu) holds device_bench-*.json from bench/gpu/run.sh. A constant that is missing there is a placeholder, and
the first table says so: a prediction is no better than its least certain constant. The terms are those of the table of
kernels in docs/gpu.md; a kernel takes as long as the slowest of its resources, the kernels of a step run one after another, and
the copy of the next batch overlaps with them.
"""

import argparse
import dataclasses
import os
import sys

import reports

# name -> (benchmark, its key, unit, placeholder, source of the placeholder)
CONSTANTS = {
    "memory": ("limit/memory_copy", "bytes_per_second", "B/s", 3.8e12, "80 % of the data sheet of an H200"),
    "cache": ("limit/cache_read", "bytes_per_second", "B/s", 5.5e12, "a guess"),
    "shared_adds": ("limit/shared_add", "items_per_second", "1/s", 1.0e12, "a guess: 4 a clock and multiprocessor"),
    "bus": ("limit/bus_copy", "bytes_per_second", "B/s", 5.0e10, "80 % of PCIe 5 x16"),
    "link": ("nccl/bandwidth", "bytes_per_second", "B/s", 3.6e11, "80 % of NVLink 4, one direction"),
    "link_latency": ("nccl/latency", "real_time", "s", 2.0e-5, "a guess, of one exchange between GPUs of a host"),
    "network": ("network/bandwidth", "bytes_per_second", "B/s", 4.0e10, "80 % of one 400 Gbit/s adapter a host"),
    "network_latency": ("network/latency", "real_time", "s", 3.0e-5, "a guess, of one exchange between hosts"),
    "flops": ("limit/sgemm", "items_per_second", "1/s", 4.0e13, "60 % of the data sheet's float32"),
    "launch": ("limit/launch", "real_time", "s", 1.0e-6, "a guess, of one kernel in a queue, on the device"),
    "issue": ("limit/launch", "issue_us", "s", 3.0e-6, "a guess, of one kernel, on the host"),
    "host_wait": ("limit/host_wait", "real_time", "s", 1.5e-5, "a guess, of the host's look at the loss"),
}


def constants_of(report):
    """({name: value}, names that were measured) from the output of device_bench; report may be None."""
    best = {}
    for entry in (report or {}).get("benchmarks", []):
        if entry.get("run_type") == "aggregate" or entry.get("error_occurred"):
            continue
        name = "/".join(entry["name"].split("/")[:2])
        if name not in best or entry["real_time"] < best[name]["real_time"]:
            best[name] = entry
    values, measured = {}, set()
    for name, (benchmark, key, _, placeholder, _) in CONSTANTS.items():
        entry = best.get(benchmark, {})
        values[name] = placeholder
        if key in entry:
            measured.add(name)
            values[name] = reports.seconds(entry, key) if key in ("real_time", "issue_us") else entry[key]
    return values, measured


@dataclasses.dataclass
class Work:
    """The training: rows per batch, slots of codes and the bytes they take (18 of 26 features have byte codes), columns and
    units of the first layer, optimizer states."""
    rows: int = 65536
    slots: int = 104
    code_bytes: int = 136
    columns: int = 57_740
    units: int = 1
    states: int = 1
    mix_every: int = 16


@dataclasses.dataclass
class World:
    """GPUs per host, and hosts."""
    gpus: int = 1
    hosts: int = 1

    @property
    def ranks(self):
        return self.gpus * self.hosts


ADD_GRADIENTS = ("data", "tower, gradients")


def kernels_of_step(work, strategy):
    """A linear model whose sums other ranks complete cannot use the single pass. The latency of NCCL's kernels counts as communication."""
    linear = work.units == 1
    num_kernels = 11 if strategy == "model" and linear else 3 if linear else 4
    return num_kernels + (4 if strategy in ADD_GRADIENTS else 0)


def device_seconds(c, work, rows, slots, columns, strategy):
    """{part: seconds} for one step of one device on `rows` rows, of which it holds `slots` slots and `columns` columns. The host is
    some steps ahead. Where ranks add up their gradients, the gradients pass through memory."""
    per_row_units = rows * work.units
    parameters = columns * work.units
    code_bytes = work.code_bytes * slots / work.slots
    linear = work.units == 1
    adds_gradients = strategy in ADD_GRADIENTS
    return {
        "forward": max(code_bytes * rows / c["memory"], 4 * slots * per_row_units / c["cache"]),
        "loss": 12 * rows / c["memory"],
        "backward": max(code_bytes * rows / c["memory"], slots * per_row_units / c["shared_adds"],
                        4 * slots * per_row_units / c["cache"]),
        # Sums read and cleared, weights and states read and written; a gradient shared with others is also written and read.
        "update": ((32 if adds_gradients else 24) + 8 * work.states) * parameters / c["memory"],
        # One output after a hidden layer: one product forward and two backward.
        "hidden": 0 if linear else 6 * per_row_units / c["flops"],
        "launches": kernels_of_step(work, strategy) * c["launch"],
        # The mean of towers waits for all steps.
        "host": c["host_wait"] / work.mix_every if strategy == "tower, parameters" else 0,
    }


# Between several hosts, arrays of at least this size are summed host by host if each host has a power of 2 of GPUs.
BY_HOSTS_BYTES = 1 << 20


def all_reduce_seconds(c, num_bytes, world):
    """Parts to all ranks, and the sums back. In the flat way every rank communicates with every rank of every host, so a host's adapter
    carries the array once for each of its GPUs. Host by host, the GPUs of a host add up first, and the adapter carries it once."""
    if world.ranks == 1:
        return 0.0
    here = c["link_latency"] + num_bytes * (world.gpus - 1) / world.gpus / c["link"]
    if world.hosts == 1:
        return 2 * here
    array = num_bytes * (world.hosts - 1) / world.hosts / c["network"]
    is_power_of_two = world.gpus & (world.gpus - 1) == 0
    if world.gpus > 1 and is_power_of_two and num_bytes >= BY_HOSTS_BYTES:
        return 2 * (here + c["network_latency"] + array)
    return 2 * (c["network_latency"] + world.gpus * array)


def predict(c, work, world, strategy, source="device"):
    """(rows per second of all devices, the part that takes most of a step)."""
    ranks = world.ranks
    rows, slots, columns = work.rows, work.slots, work.columns
    exchanged = 4 * work.columns * work.units
    trained = work.rows
    if strategy == "data":
        rows = work.rows / ranks
    elif strategy == "model":
        slots, columns = work.slots / ranks, work.columns / ranks
        exchanged = 4 * work.rows * work.units
    else:
        trained = work.rows * ranks
    done = strategy if ranks > 1 else "alone"
    step = device_seconds(c, work, rows, slots, columns, done)
    communication = all_reduce_seconds(c, exchanged, world)
    if strategy == "tower, parameters":
        communication *= (1 + work.states) / work.mix_every
    step["communication"] = communication
    seconds = sum(step.values())
    limit = max(step, key=step.get)
    # The host queues kernels while earlier ones run.
    issued = kernels_of_step(work, done) * c["issue"]
    if issued > seconds:
        seconds, limit = issued, "issue"
    if source == "host":
        # Each GPU of a host has its own bus; under model parallelism, each takes its own slots of all rows.
        copied = work.code_bytes * slots / work.slots * rows / c["bus"]
        if copied > seconds:
            seconds, limit = copied, "bus"
    return trained / seconds, limit


STRATEGIES = ["data", "model", "tower, gradients", "tower, parameters"]
WORLDS = [World(1), World(2), World(4), World(8), World(8, 2), World(8, 8), World(8, 64)]


def lines(c, work):
    found = [["units", "strategy", "source", *(f"{w.gpus} x {w.hosts}" for w in WORLDS)]]
    for units in (1, 32):
        sized = dataclasses.replace(work, units=units)
        for strategy in STRATEGIES:
            for source in ("device", "host"):
                cells = [predict(c, sized, world, strategy, source) for world in WORLDS]
                found.append([str(units), strategy, source, *(f"{rate / 1e6:,.0f} ({limit})" for rate, limit in cells)])
    return found


def as_text(table):
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default="build/gpu")
    parser.add_argument("--batch", type=int, default=Work.rows)
    parser.add_argument("--slots", type=int, default=Work.slots)
    parser.add_argument("--code-bytes", type=int, default=Work.code_bytes, help="of a row")
    parser.add_argument("--columns", type=int, default=Work.columns)
    parser.add_argument("--mix-every", type=int, default=Work.mix_every)
    options = parser.parse_args()
    values, measured = constants_of(reports.read_device_bench(options.folder))
    print(as_text([["constant", "value", "source"]] + [
        [name, f"{values[name]:.3g} {unit}", f"measured: {benchmark}" if name in measured else f"NOT MEASURED: {origin}"]
        for name, (benchmark, _, unit, _, origin) in CONSTANTS.items()]))
    work = Work(rows=options.batch, slots=options.slots, code_bytes=options.code_bytes, columns=options.columns, mix_every=options.mix_every)
    print(f"\nMillions of rows a second, GPUs of a host x hosts, and what most of a step goes to. Batch {work.rows}, {work.slots} "
          f"slots of {work.code_bytes} bytes, {work.columns} columns.")
    print(as_text(lines(values, work)))
    missing = len(CONSTANTS) - len(measured)
    if missing:
        print(f"\nA prediction, not a measurement: {missing} of {len(CONSTANTS)} constants are placeholders.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
