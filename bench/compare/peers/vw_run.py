"""vw_run.py ARGUMENT...: Vowpal Wabbit's own command line by way of its Python package, which is what PyPI has of it.

Reading, parsing (a thread of its own) and learning are the same C++ as in the program `vw`. The time is that of the whole
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
