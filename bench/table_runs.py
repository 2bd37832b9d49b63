"""Shared by the benches of small tables: runs the program in a work folder."""

import argparse
import os
import pathlib
import subprocess


def parser(description, work):
    """A parser with --work and --widehash."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--work", type=pathlib.Path, default=pathlib.Path(work))
    made.add_argument("--widehash", default="build/release/widehash")
    return made


def runner(options):
    """run(ARGUMENT...) runs the program in the work folder and returns its output; if the program fails, it ends this one."""
    program = os.path.abspath(options.widehash)
    options.work.mkdir(parents=True, exist_ok=True)

    def run(*arguments):
        done = subprocess.run([program, *map(str, arguments)], cwd=options.work, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        return done.stdout

    return run


def encoder(options, run):
    """encode(NAME, LINES) writes the lines as a table and encodes it by schema.toml to a dataset NAME in the work folder."""
    def encode(name, lines):
        (options.work / f"{name}.txt").write_text("\n".join(lines) + "\n")
        run("transform", "--schema", "schema.toml", f"{name}.txt", "-o", name, "--overwrite", "--quiet")

    return encode
