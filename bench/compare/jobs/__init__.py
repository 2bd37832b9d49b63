"""What is measured: a module a table, each with a function `jobs(setting)`."""
