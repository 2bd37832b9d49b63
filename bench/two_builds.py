#!/usr/bin/env python3
"""One command by two builds of the program, in turn: the medians of their times, and the median, the least and the greatest of
the ratios of pairs. Both must make the same output.

    bench/two_builds.py BEFORE AFTER [--runs N] [--output PATH] -- ARGUMENTS

BEFORE and AFTER are programs, ARGUMENTS what follows the program's name. PATH is the file or folder that the command makes; it is
removed before each run, and without it the standard output is compared. Processor time says more than the clock on a busy machine.
"""

import argparse
import hashlib
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import time


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def checksum(path, text):
    """Of the files below `path` with their names, or of `text`."""
    total = hashlib.sha256(text)
    for file in sorted([path] if path.is_file() else path.rglob("*")) if path else []:
        if file.is_file():
            total.update(str(file.relative_to(path)).encode())
            total.update(file.read_bytes())
    return total.hexdigest()


def measure(program, arguments, output):
    """Seconds by the clock, seconds of processor time, and the checksum of what was made."""
    if output:
        remove(output)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([program, *arguments], stdout=subprocess.DEVNULL if output else subprocess.PIPE, check=True)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return wall, cpu, checksum(output, done.stdout or b"")


def ratios(before, after):
    found = [b / a for b, a in zip(before, after)]
    return f"{statistics.median(found):.2f} ({min(found):.2f} to {max(found):.2f})"


def main():
    own, command = sys.argv[1:], []
    if "--" in own:
        own, command = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args(own)
    if not command:
        parser.error("give the arguments of the program after --")
    programs = [os.path.abspath(options.before), os.path.abspath(options.after)]
    times = {program: ([], []) for program in programs}
    made = set()
    for i in range(options.runs):
        for program in programs if i % 2 == 0 else programs[::-1]:
            wall, cpu, content = measure(program, command, options.output)
            times[program][0].append(wall)
            times[program][1].append(cpu)
            made.add(content)
    if len(made) > 1:
        sys.exit("the two builds do not make the same output")
    for number, name in enumerate(("seconds", "processor seconds")):
        before, after = (times[program][number] for program in programs)
        print(f"{name}: {statistics.median(before):.3f} before, {statistics.median(after):.3f} after, ratio {ratios(before, after)}")


if __name__ == "__main__":
    main()
