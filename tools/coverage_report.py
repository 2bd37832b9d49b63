"""coverage_report.py BUILD [FOLDER]: what gcov counted in BUILD, a line a folder, or a line a file of FOLDER.

A line counts once, however many objects hold it: sources that are compiled for several instruction sets, and headers, are
covered where one of them was. Files of tests and of other libraries are left out.
"""

import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

FOLDERS = ["src/base", "src/io", "hashing", "sparse", "src/network", "parallel", "src/pipeline", "include/widehash"]


def count_lines(build, root):
    """{file: {line: executions}}, with files as paths below `root`."""
    counts = collections.defaultdict(lambda: collections.defaultdict(int))
    # The objects of libraries and of tests: headers are run in both. One that no test was linked with has no counters
    # beside its notes, and gcov counts its lines as never run.
    notes = sorted(build.rglob("*.gcno"))
    with tempfile.TemporaryDirectory() as work:
        for start in range(0, len(notes), 40):
            paths = [str(path.resolve()) for path in notes[start:start + 40]]
            done = subprocess.run(["gcov", "--json-format", "--hash-filenames", *paths], cwd=work, check=False,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                sys.exit(f"coverage_report.py: gcov failed ({done.returncode}):\n{done.stderr}")
            for report in pathlib.Path(work).glob("*.json.gz"):
                with gzip.open(report) as file:
                    data = json.load(file)
                for item in data["files"]:
                    path = pathlib.Path(data["current_working_directory"], item["file"]).resolve()
                    if not path.is_relative_to(root):
                        continue
                    lines = counts[str(path.relative_to(root))]
                    for line in item["lines"]:
                        lines[line["line_number"]] += line["count"]
                report.unlink()
    return counts


def folder_of(path):
    return next((folder for folder in FOLDERS if path.startswith(folder + "/")), None)


def ranges(numbers):
    """"3, 7-9"."""
    texts = []
    for number in sorted(numbers):
        if texts and texts[-1][1] == number - 1:
            texts[-1][1] = number
        else:
            texts.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in texts)


def main():
    build = pathlib.Path(sys.argv[1])
    counts = count_lines(build, pathlib.Path.cwd().resolve())
    if len(sys.argv) > 2:
        for path in sorted(counts):
            if path.startswith(sys.argv[2] + "/"):
                missed = [line for line, count in counts[path].items() if count == 0]
                print(f"{100 * (1 - len(missed) / len(counts[path])):6.1f} %  {path}  {ranges(missed)}")
        return
    totals = collections.Counter()
    covered = collections.Counter()
    for path, lines in counts.items():
        folder = folder_of(path)
        totals[folder] += len(lines)
        covered[folder] += sum(count > 0 for count in lines.values())
    for folder in FOLDERS:
        if totals[folder]:
            print(f"{folder:18} {covered[folder]:6} of {totals[folder]:6} lines  {100 * covered[folder] / totals[folder]:5.1f} %")


main()
