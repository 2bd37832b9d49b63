"""vw_run.py ARGUMENT...: Vowpal Wabbit's own command line through its Python package, which is the form available on PyPI.

Reading, parsing (on a thread of its own) and learning are the same C++ as in the program `vw`. The time covers the whole
run up to the written model, without the start of Python.
"""

import json
import sys
import time

import vowpalwabbit


def main():
    start = time.perf_counter()
    workspace = vowpalwabbit.Workspace(arg_list=sys.argv[1:])
    workspace.finish()
    print(json.dumps({"seconds": time.perf_counter() - start}))


if __name__ == "__main__":
    main()
