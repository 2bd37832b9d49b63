"""A line of a table: how fast two devices train compared with one, and how fast any two that meet at every step could.

    python3 bench/parallel_efficiency.py ROUNDS NAME WAY ROWS [header]

Called by `bench/parallel.sh efficiency`. ROUNDS has one folder per round, each with the traces (`train --profile`) of one device, of two
trainings on one device each at the same time, and of the way in question: one.json, pair-0.json, pair-1.json, NAME.json.

    efficiency   mean step of one device / mean step of two / 2
    lockstep     what the cores of the two independent trainings would reach if both waited for the slower at every step, and if
                 waiting and exchanging cost nothing: mean step of one device / mean of the longer of the steps that overlap
    busy         share of the devices' time spent reading and computing

A step lasts until the next step of rank 0 begins. Only the middle half of each training counts, because files are mapped at its beginning
and the model is written at its end. Ratios are taken within a round, so that other load on the machine affects both sides; the table
has their medians.
"""

import bisect
import json
import pathlib
import statistics
import sys


def spans(folder, name):
    events = json.loads((folder / (name + ".json")).read_text())["traceEvents"]
    return [e for e in events if e.get("ph") == "X"]


def steps(trace):
    """Beginnings and lengths of the steps of rank 0, in seconds."""
    begins = sorted(e["ts"] / 1e6 for e in trace if e["tid"] == 0 and e["name"] == "read")
    begins = begins[len(begins) // 4:-len(begins) // 4]
    return begins[:-1], [after - begin for begin, after in zip(begins, begins[1:])]


def longer_of_both(one, other):
    """For each step of `one`, the longer of it and the step of `other` that is in progress at its middle. Times of a trace count from
    the beginning of its training, and both began together."""
    begins, lengths = one
    others, other_lengths = other
    longer = []
    for begin, length in zip(begins, lengths):
        middle = begin + length / 2
        at = bisect.bisect(others, middle) - 1
        if at >= 0 and middle < others[at] + other_lengths[at]:
            longer.append(max(length, other_lengths[at]))
    return longer


def busy_share(trace):
    total = {name: sum(e["dur"] for e in trace if e["name"] == name) for name in ("read", "compute", "communicate", "wait")}
    return (total["read"] + total["compute"]) / sum(total.values())


def main():
    rounds, name, way, rows, *header = sys.argv[1:]
    results = []
    for folder in pathlib.Path(rounds).iterdir():
        one = statistics.mean(steps(spans(folder, "one"))[1])
        trace = spans(folder, name)
        two = statistics.mean(steps(trace)[1])
        longer = statistics.mean(longer_of_both(steps(spans(folder, "pair-0")), steps(spans(folder, "pair-1"))))
        efficiency, lockstep = one / two / 2, one / longer
        results.append((one * 1e3, two * 1e3, efficiency, lockstep, efficiency / lockstep, busy_share(trace)))
    medians = [statistics.median(values) for values in zip(*results)]
    spread = "%.2f to %.2f" % (min(r[2] for r in results), max(r[2] for r in results))
    if header:
        print("| way | rows to a batch | step of 1 device, ms | of 2 devices, ms | efficiency | of %d rounds | lockstep "
              "| efficiency / lockstep | busy |" % len(results))
        print("|---|---|---|---|---|---|---|---|---|")
    print("| %s | %s | %.2f | %.2f | %.2f | %s | %.2f | %.2f | %.2f |" % (way, rows, *medians[:3], spread, *medians[3:]))


if __name__ == "__main__":
    main()
