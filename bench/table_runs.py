"""What benches of small tables share: the program run in a work folder."""

import argparse
import os
import pathlib
import subprocess


def parser(description, work):
    """With --work and --widehash."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--work", type=pathlib.Path, default=pathlib.Path(work))
    made.add_argument("--widehash", default="build/release/widehash")
    return made


def runner(options):
    """run(ARGUMENT...) gives what the program prints, in the work folder; it ends all where the program fails."""
    program = os.path.abspath(options.widehash)
    options.work.mkdir(parents=True, exist_ok=True)

    def run(*arguments):
        done = subprocess.run([program, *map(str, arguments)], cwd=options.work, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        return done.stdout

    return run


def encoder(options, run):
    """encode(NAME, LINES) writes them as a table and encodes it, by schema.toml, to a dataset NAME in the work folder."""
    def encode(name, lines):
        (options.work / f"{name}.txt").write_text("\n".join(lines) + "\n")
        run("transform", "--schema", "schema.toml", f"{name}.txt", "-o", name, "--overwrite", "--quiet")

    return encode
