"""The measurements: one module per table, each with a function `jobs(setting)`."""
