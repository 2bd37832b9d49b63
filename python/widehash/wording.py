"""The words of error messages. The library names options as the command line does; the package names arguments."""

import re
from typing import Any

# Options whose argument has another name, and options that take no value.
_ARGUMENTS = {"from": "from_model", "lr": "learning_rate", "memory": "memory_bytes"}
_FLAGS = {"allow-empty", "overwrite", "resume", "undo-class-weights"}
OPTIONS = _FLAGS | set(_ARGUMENTS) | {
    "activation", "add", "batch-size", "beta", "beta1", "beta2", "block-bytes", "checkpoint-every", "class-weights", "delimiter", "devices", "early-stop",
    "epochs", "epsilon", "fold-by", "folds", "header", "hidden", "l1", "l2", "lr-decay", "seed",
    "loss", "max-bad-rows", "mix", "mix-every", "optimizer", "parallel", "quote", "rho", "tables", "threads", "valid",
}

# Matches an option and the value that follows it, if any: a number, a placeholder in capitals, or a word that an option
# takes. Does not match inside a path or a quoted value that looks like an option.
_OPTION = re.compile(r"(?<![\w\-/'\"])--([a-z][a-z0-9-]*)(?: (\d+-\d+/\d+|\d[\d.]*|[A-Z]+\b|data|model|tower|gradients|parameters|predictions|logistic|mse|softmax|poisson|ftrl|adagrad|adam|rmsprop|cpu|yes\|no|yes|no)\b)?")


def kind_of(value: Any) -> str:
    """Describe a wrong argument: "None", "a dict", "an int", "a uint8"."""
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"


def in_python(text: str) -> str:
    """Return `text` with each option replaced by the package's argument.

    `--max-bad-rows N` becomes `max_bad_rows=N`, and `--overwrite` becomes
    `overwrite=True`. Options that the package does not have are left unchanged.
    """
    return _OPTION.sub(_argument, text)


def _argument(found: "re.Match[str]") -> str:
    option, value = found.groups()
    if option not in OPTIONS:
        return found[0]
    name = _ARGUMENTS.get(option, option.replace("-", "_"))
    if option in _FLAGS:
        return f"{name}=True" + (f" {value}" if value else "")
    if value is None:
        return name
    if option == "header":
        value = {"yes": "True", "no": "False"}.get(value, "True or False")
    elif value.islower() or "/" in value:
        value = repr(value)
    return f"{name}={value}"
