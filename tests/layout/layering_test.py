"""Dependencies only point down: no folder includes a header of a folder above it, or links one (docs/design.md).

    layering_test.py layering     checks the tree in the working directory
    layering_test.py self_test    checks, on trees made for it, that each kind of violation is found
"""

import pathlib
import re
import sys
import tempfile

# Each folder and the other folders that it may use: the diagram in docs/design.md.
PIPELINE = [f"src/pipeline/{room}" for room in ("encode", "ingest", "fit", "transform", "inspect", "predict", "train")]
ENCODE, INGEST, FIT, TRANSFORM, INSPECT, PREDICT, TRAIN = PIPELINE
BELOW_NETWORK = ["sparse", "hashing", "src/base"]
BELOW_PIPELINE = ["parallel", "src/network", "src/io", *BELOW_NETWORK]
LAYERS = {
    "src/base": [],
    "src/io": ["src/base"],
    "hashing": ["src/base"],
    "sparse": ["hashing", "src/base"],
    "src/network": BELOW_NETWORK,
    "parallel": ["src/network", *BELOW_NETWORK],
    ENCODE: ["src/io", *BELOW_NETWORK],
    INGEST: [ENCODE, *BELOW_PIPELINE],
    FIT: [INGEST, ENCODE, *BELOW_PIPELINE],
    TRANSFORM: [INGEST, ENCODE, *BELOW_PIPELINE],
    INSPECT: [INGEST, ENCODE, *BELOW_PIPELINE],
    PREDICT: [INGEST, ENCODE, *BELOW_PIPELINE],
    TRAIN: [PREDICT, INGEST, ENCODE, *BELOW_PIPELINE],
    "src/pipeline": PIPELINE,
    "python/src": ["src/pipeline", *PIPELINE, *BELOW_PIPELINE],
    "tools": ["src/pipeline", *PIPELINE, *BELOW_PIPELINE],
}
# Users of the library, which have no public headers.
USERS = ("python/src", "tools")
TARGETS = {f"widehash::{folder.rsplit('/', 1)[-1]}": folder for folder in LAYERS}
# The folders of public headers, and of headers that the library's folders share among themselves.
HEADERS = ("include/widehash", "include/widehash/internal")
# Headers without a source of the same name, and the folder that each belongs to.
HEADER_ONLY = {
    "ascii.hpp": "src/base",
    "buffer_pool.hpp": "src/base",
    "column_range.hpp": "src/base",
    "communicator.hpp": "parallel",
    "device_codes.hpp": "sparse",
    "device_span.hpp": "src/base",
    "dialect.hpp": "src/io",
    "eigen.hpp": "sparse",
    "fetch_lines.hpp": "src/base",
    "first_bytes.hpp": "src/base",
    "hashed_value.hpp": "hashing",
    "json_count.hpp": "src/base",
    "json_folds.hpp": "hashing",
    "json_parse.hpp": "src/base",
    "largest_of.hpp": "src/base",
    "mean_spread.hpp": "src/network",
    "memory_budget.hpp": "src/base",
    "missing_markers.hpp": "src/base",
    "own_process.hpp": "src/base",
    "parse_all.hpp": "src/base",
    "placed_rows.hpp": "src/base",
    "predict.hpp": PREDICT,
    "progress.hpp": "src/base",
    "raw_vector.hpp": "src/base",
    "replica.hpp": "src/network",
    "running_moments.hpp": "hashing",
    "sealed_json.hpp": "src/base",
    "shared_stop.hpp": "parallel",
    "split_apply_concat.hpp": "parallel",
    "splitmix64.hpp": "src/base",
    "stop.hpp": "src/base",
    "stoppable_progress.hpp": "src/base",
    "train.hpp": TRAIN,
    "value_list.hpp": "hashing",
    "version.hpp": "src/base",
    "write_all.hpp": "src/base",
    "xxh64.hpp": "hashing",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def sources(folder):
    """The sources of a folder and of its cuda/ folder."""
    files = [*folder.iterdir(), *(folder / "cuda").glob("*")]
    return sorted(path for path in files if path.suffix in (".cpp", ".hpp", ".cu", ".cuh"))


def headers(root):
    return sorted(header for place in HEADERS for header in (root / place).glob("*.hpp"))


def owners(root):
    """The folder of each public header: the one with a source of its name, or of a name that continues it with '_'."""
    found = {}
    for header in headers(root):
        if header.name in HEADER_ONLY:
            found[header.name] = HEADER_ONLY[header.name]
            continue
        folders = [folder for folder in LAYERS if folder not in USERS and (root / folder).is_dir()]
        for fits in (lambda stem: stem == header.stem, lambda stem: stem.startswith(header.stem + "_")):
            named = [folder for folder in folders if any(fits(path.stem) for path in sources(root / folder))]
            if named:
                found[header.name] = named[0]
                break
    return found


def included(path):
    for kind, name in INCLUDE.findall(path.read_text()):
        yield kind, name


def breaches(root):
    """A message for each violation."""
    of_header = owners(root)
    wrong = []

    def check(where, folder, name):
        target = of_header.get(name.removeprefix("internal/"))
        if target is None:
            wrong.append(f"{where}: includes <widehash/{name}>, which belongs to no folder")
        elif target != folder and target not in LAYERS[folder]:
            wrong.append(f"{where}: {folder} includes <widehash/{name}> of {target}")

    for header in headers(root):
        folder = of_header.get(header.name)
        if folder is None:
            wrong.append(f"{header.relative_to(root)}: belongs to no folder")
            continue
        for kind, name in included(header):
            if name.startswith("widehash/"):
                check(header.relative_to(root), folder, name.removeprefix("widehash/"))
            elif kind == '"':
                wrong.append(f"{header.relative_to(root)}: a public header includes the private \"{name}\"")

    for folder in LAYERS:
        if not (root / folder).is_dir():
            continue
        own = {path.name for path in sources(root / folder)} | {"launch.cuh"}
        # Device memory and kernel launches: headers of src/base for the CUDA sources of the folders above it.
        own |= {f"cuda/{path.name}" for place in (folder, "src/base") for path in (root / place / "cuda").glob("*.hpp")}
        # Private headers of the pipeline's folders below this one.
        own |= {f"{room.rsplit('/', 1)[-1]}/{path.name}" for room in PIPELINE if room in LAYERS[folder] and folder in PIPELINE
                for path in (root / room).glob("*.hpp")}
        for path in sources(root / folder):
            for kind, name in included(path):
                if name.startswith("widehash/"):
                    check(path.relative_to(root), folder, name.removeprefix("widehash/"))
                elif kind == '"' and name not in own:
                    wrong.append(f"{path.relative_to(root)}: includes \"{name}\", which is not in {folder}")
        lists = root / folder / "CMakeLists.txt"
        if lists.exists():
            for target in re.findall(r"widehash::\w+", lists.read_text()):
                linked = TARGETS.get(target)
                if linked is not None and linked != folder and linked not in LAYERS[folder]:
                    wrong.append(f"{lists.relative_to(root)}: {folder} links {target}")
    return wrong


def self_test():
    def tree(files):
        base = {"include/widehash/error.hpp": "", "src/base/error.cpp": "#include <widehash/error.hpp>",
                "include/widehash/schema.hpp": "#include <widehash/error.hpp>", "hashing/schema.cpp": ""}
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in (base | files).items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return breaches(root)

    assert tree({}) == [], tree({})
    for files in (
        {"src/base/file.cpp": "#include <widehash/schema.hpp>"},
        {"src/io/rows.cpp": "#include <widehash/schema.hpp>"},
        {"include/widehash/error.hpp": "#include <widehash/schema.hpp>"},
        {"include/widehash/error.hpp": '#include "private.hpp"'},
        {"include/widehash/stray.hpp": ""},
        {"hashing/schema.cpp": '#include "atomic.hpp"', "src/base/atomic.hpp": ""},
        {"python/src/schema.cpp": '#include "options.hpp"', "tools/options.hpp": ""},
        {"src/base/CMakeLists.txt": "target_link_libraries(a PRIVATE widehash::hashing)"},
        {"include/widehash/internal/stray.hpp": ""},
        {"include/widehash/internal/lock.hpp": "#include <widehash/schema.hpp>", "src/base/lock.cpp": ""},
        {"src/pipeline/fit/fit.cpp": '#include "train/steps.hpp"', "src/pipeline/train/steps.hpp": ""},
        {"tools/steps.cpp": '#include "train/steps.hpp"', "src/pipeline/train/steps.hpp": ""},
    ):
        assert len(tree(files)) == 1, (files, tree(files))


if __name__ == "__main__":
    if sys.argv[1] == "self_test":
        self_test()
    else:
        found = breaches(pathlib.Path.cwd())
        print("\n".join(found) if found else "nothing points up")
        sys.exit(1 if found else 0)
