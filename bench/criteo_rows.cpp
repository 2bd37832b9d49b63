// criteo_rows ROWS [--seed N]: writes ROWS Criteo-shaped rows (criteo_shape.hpp) to stdout. The same seed
// gives the same rows; another seed gives other rows from the same distribution.

#include "criteo_shape.hpp"

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>

namespace {

int run(int argc, char** argv) {
  std::uint64_t rows = 0;
  std::uint64_t seed = 1;
  CLI::App app("Criteo-shaped rows from a seed, to stdout");
  app.add_option("rows", rows, "How many rows")->required();
  app.add_option("--seed", seed, "Seed of the rows")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  constexpr std::size_t write_bytes = 1 << 20;
  const widehash::bench::CriteoRows table(seed);
  std::string text;
  for (std::uint64_t row = 0; row < rows; ++row) {
    table.append_row(row, text);
    if (text.size() >= write_bytes || row + 1 == rows) {
      if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
        std::perror("criteo_rows: cannot write to stdout");
        return 1;
      }
      text.clear();
    }
  }
  if (std::fflush(stdout) != 0) {
    std::perror("criteo_rows: cannot write to stdout");
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "criteo_rows: %s\n", error.what());
    return 1;
  }
}
