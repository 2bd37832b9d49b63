"""What every compiled kernel uses of a multiprocessor: registers, shared memory, spills and the resulting occupancy. Needs nvcc
and no GPU.

    resources.py [BUILD_FOLDER] [--architectures 80,90,100] [--markdown] [--json FILE]

BUILD_FOLDER (default build/release) is a configured build with CUDA: its compile commands say how each source is compiled. Exit
code 0; 1 if a kernel keeps registers in local memory or none was found; 2 for a wrong command; 77 if nvcc or the build
is missing.

Registers, static shared memory and spills are printed by ptxas -v. Threads per block and dynamic shared memory are launch
arguments: LAUNCHES has them, for a batch of 65,536 rows of the 26 features of the benchmark and 32 units.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

NOT_HERE = 77

# Limits per multiprocessor: registers, bytes of shared memory, warps and blocks. CUDA C++ Programming Guide, "Technical
# Specifications per Compute Capability". Registers are allocated to warps in units of 256, shared memory in units of 128
# bytes, and each block gives 1 KiB of it to the system.
MULTIPROCESSORS = {
    "80": {"registers": 65536, "shared": 164 * 1024, "warps": 64, "blocks": 32},
    "90": {"registers": 65536, "shared": 228 * 1024, "warps": 64, "blocks": 32},
    "100": {"registers": 65536, "shared": 228 * 1024, "warps": 64, "blocks": 32},
}
REGISTER_LOT, SHARED_LOT, SYSTEM_SHARED = 256, 128, 1024
# As much dynamic shared memory as lets two blocks share a multiprocessor.
HALF = -1

# Kernel -> (threads per block, largest dynamic shared memory in bytes). The name has its template arguments, or none to cover all.
LAUNCHES = {
    "hash_values": (256, 0),
    "reduce_tiles": (256, 32 * 27 * 8),
    "reduce_by_slot": (256, 0),
    "transpose_kernel<u8>": (256, 32 * 33),
    "transpose_kernel<u16>": (256, 32 * 33 * 2),
    "transpose_kernel": (256, 32 * 33 * 4),
    "gather_kernel": (256, 0),
    "linear_kernel": (256, 64 * 24 + 256 * 4),
    "output_kernel": (256, 256 * 24 + (64 * 33 + 256 + 64) * 4),
    "largest_kernel": (256, 0),
    "scatter_shared_kernel": (512, HALF),
    "scatter_kernel": (256, 0),
    "unfix_kernel": (256, 0),
    "add_bias_kernel": (256, 0),
    "through_activation_kernel": (256, 0),
    "loss_kernel": (256, 256 * 8),
    "add_partial_losses_kernel": (256, 2048),
    "link_kernel": (256, 0),
    "not_finite_kernel": (256, 0),
    "write_refusals_kernel": (1, 0),
    "check_gradient_kernel": (256, 0),
    "scale_kernel": (256, 0),
    "column_sums_kernel": (256, 256 * 8),
    "add_partial_sums_kernel": (256, 256 * 8),
    "update_kernel": (256, 0),
    "anchor_kernel": (256, 0),
    "add_parts_kernel": (256, 0),
    "add_pieces_kernel": (256, 0),
    "read_words": (512, 0),
    "add_in_shared": (512, 4096 * 8),
    "empty_kernel": (32, 0),
    "hold_kernel": (1, 0),
    "add_kernel": (256, 0),
    "gather_bfloat16_kernel": (256, 0),
    "staged_kernel": (1024, HALF),
    "add_groups_kernel": (256, 0),
}
# Made of kernels from other libraries, which are not ours to tune.
NOT_OURS = {"sorted_gradient.cu"}


def occupancy(architecture, threads, registers, shared_bytes):
    """(resident warps, the most possible, what limits them) on one multiprocessor."""
    limits = MULTIPROCESSORS[architecture]
    warps = -(-threads // 32)
    lots = -(-registers * 32 // REGISTER_LOT)
    by = {"warps": limits["warps"] // warps, "blocks": limits["blocks"]}
    if registers:
        # Registers belong to the four quarters of a multiprocessor, so whole warps are counted in fours.
        by["registers"] = limits["registers"] // (lots * REGISTER_LOT) // 4 * 4 // warps
    taken = -(-(shared_bytes + SYSTEM_SHARED) // SHARED_LOT) * SHARED_LOT
    by["shared memory"] = limits["shared"] // taken
    blocks = min(by.values())
    limited_by = min(by, key=by.get)
    return blocks * warps, limits["warps"], limited_by


ENTRY = re.compile(r"Compiling entry function '(\w+)' for 'sm_(\d+)a?'")
FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")


def kernels_of(ptxas_text):
    """[{symbol, architecture, registers, shared, stack, spill_stores, spill_loads}] parsed from the output of ptxas -v."""
    found = []
    for line in ptxas_text.splitlines():
        if match := ENTRY.search(line):
            found.append({"symbol": match[1], "architecture": match[2], "registers": 0, "shared": 0, "stack": 0,
                          "spill_stores": 0, "spill_loads": 0})
        elif found and (match := FRAME.search(line)):
            found[-1].update(stack=int(match[1]), spill_stores=int(match[2]), spill_loads=int(match[3]))
        elif found and (match := USED.search(line)):
            found[-1]["registers"] = int(match[1])
            if shared := SHARED.search(line):
                found[-1]["shared"] = int(shared[1])
    return found


def readable(symbol):
    """The kernel's name with its template arguments, without namespaces and parameters."""
    if shutil.which("c++filt") is None:
        return symbol
    name = subprocess.run(["c++filt", symbol], capture_output=True, text=True, check=True).stdout.strip()
    name = name.removeprefix("void ").replace("(anonymous namespace)", "")
    depth = 0
    for at, letter in enumerate(name):
        depth += {"<": 1, ">": -1}.get(letter, 0)
        # The parameters begin here, unless it is a template argument written as a cast in parentheses.
        if letter == "(" and depth == 0:
            name = name[:at]
            break
    name = re.sub(r"\((?:\w|::)+\)(\d+)", r"\1", name)
    for long, short in (("unsigned char", "u8"), ("unsigned short", "u16"), ("unsigned int", "u32"), ("unsigned long", "u64"), ("long long", "i64")):
        name = name.replace(long, short)
    return re.sub(r"(\w*::)+", "", name).replace("> >", ">>")


def commands(build_folder):
    """{source: command} for the device code of a configured build."""
    with open(os.path.join(build_folder, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    found = {}
    for entry in entries:
        words = shlex.split(entry["command"])
        compilers = [at for at, word in enumerate(words[:3]) if os.path.basename(word) == "nvcc"]
        if entry["file"].endswith(".cu") and compilers and os.path.basename(entry["file"]) not in NOT_OURS:
            found[entry["file"]] = (entry["directory"], words[compilers[0]:])
    return found


def compile_one(source, directory, words, architecture, folder, *options):
    """The output of ptxas for one source and architecture, compiled with the build's own options and `options` to another output."""
    kept = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in ("-c", "-o"):
            skip = word == "-o"
        elif not word.startswith("--generate-code") and word != source:
            kept.append(word)
    out = os.path.join(folder, f"{os.path.basename(source)}.{architecture}.cubin")
    done = subprocess.run([*kept, f"-arch=sm_{architecture}", "-cubin", "-Xptxas", "-v", *options, "-o", out, source],
                          cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{source}, sm_{architecture}: {done.stderr}")
    return done.stderr


def measure(build_folder, architectures):
    """One row per kernel and architecture."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        jobs = [(source, pool.submit(compile_one, source, directory, words, architecture, folder))
                for source, (directory, words) in sorted(commands(build_folder).items()) for architecture in architectures]
        for source, job in jobs:
            for kernel in kernels_of(job.result()):
                kernel["source"] = os.path.basename(source)
                kernel["name"] = readable(kernel["symbol"])
                rows.append(with_occupancy(kernel))
    return rows


def with_occupancy(kernel):
    launch = LAUNCHES.get(kernel["name"], LAUNCHES.get(re.sub(r"<.*", "", kernel["name"])))
    if launch is None:
        return kernel
    threads, dynamic = launch
    if dynamic == HALF:
        dynamic = MULTIPROCESSORS[kernel["architecture"]]["shared"] // 2 - SYSTEM_SHARED
    warps, most, limited_by = occupancy(kernel["architecture"], threads, kernel["registers"], kernel["shared"] + dynamic)
    return {**kernel, "threads": threads, "dynamic_shared": dynamic, "warps": warps, "most_warps": most,
            "limited_by": limited_by}


def table(rows):
    """One line per kernel: registers and occupancy for each architecture, in the order of the rows."""
    architectures = list(dict.fromkeys(row["architecture"] for row in rows))
    lines = [["source", "kernel", "threads", "shared bytes", *(f"sm_{a}: registers, occupancy" for a in architectures), "spilled"]]
    kernels = {}
    for row in rows:
        kernels.setdefault((row["source"], row["name"]), {})[row["architecture"]] = row
    for (source, name), by in kernels.items():
        threads = {str(row.get("threads", "?")) for row in by.values()}
        shared = dict.fromkeys(str(row["shared"] + row.get("dynamic_shared", 0)) for row in by.values())
        spilled = sum(row["spill_stores"] + row["spill_loads"] for row in by.values())
        line = [source, name, "/".join(threads), "/".join(shared)]
        for architecture in architectures:
            row = by.get(architecture)
            share = f", {100 * row['warps'] // row['most_warps']} %" if row and "warps" in row else ""
            line.append(f"{row['registers']}{share}" if row else "")
        lines.append([*line, str(spilled)])
    return lines


def as_text(lines):
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def as_markdown(lines):
    head = ["| " + " | ".join(lines[0]) + " |", "|" + "---|" * len(lines[0])]
    return "\n".join(head + [f"| {' | '.join([line[0], f'`{line[1]}`', *line[2:]])} |" for line in lines[1:]])


def faults(rows):
    """Violations: kernels that spill, and kernels missing from LAUNCHES."""
    found = [f"{row['name']} keeps {row['spill_stores'] + row['spill_loads']} bytes of registers in local memory on "
             f"sm_{row['architecture']}" for row in rows
             if row["spill_stores"] + row["spill_loads"] > 0]
    found += sorted({f"{row['name']} is not in LAUNCHES of resources.py" for row in rows if "warps" not in row})
    return found or ([] if rows else ["no kernel was found"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build_folder", nargs="?", default="build/release")
    parser.add_argument("--architectures", default="80,90,100")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    architectures = options.architectures.split(",")
    if not set(architectures) <= set(MULTIPROCESSORS):
        parser.error(f"known architectures: {', '.join(MULTIPROCESSORS)}")
    if not os.path.exists(os.path.join(options.build_folder, "compile_commands.json")):
        print(f"SKIPPED: {options.build_folder} is not a configured build.", file=sys.stderr)
        return NOT_HERE
    if not commands(options.build_folder):
        print(f"SKIPPED: {options.build_folder} is a build without CUDA: there is no nvcc to ask.", file=sys.stderr)
        return NOT_HERE
    rows = measure(options.build_folder, architectures)
    lines = table(rows)
    print(as_markdown(lines) if options.markdown else as_text(lines))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    for fault in faults(rows):
        print(f"resources.py: {fault}", file=sys.stderr)
    return 1 if faults(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
