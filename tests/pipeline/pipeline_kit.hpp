#pragma once

/// \file
/// Helpers for the tests of the pipeline: schemas from text, byte-by-byte comparison of folders, rows of a
/// matrix and messages of exceptions.

#include "base/temp_folder.hpp"

#include <widehash/csr_ops.hpp>
#include <widehash/dataset.hpp>
#include <widehash/encoder.hpp>
#include <widehash/error.hpp>
#include <widehash/fit.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/threads.hpp>
#include <widehash/transform.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash::test {

inline SchemaSource source(const std::string& toml) { return {parse_schema(toml, "schema.toml"), toml}; }

/// The message of the E that `action` throws; if it throws none, a test failure and "".
template <class E, class Action>
std::string complaint(Action&& action) {
  try {
    action();
  } catch (const E& problem) {
    return problem.what();
  } catch (const std::exception& problem) {
    ADD_FAILURE() << "another exception: " << problem.what();
    return "";
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

/// Name and bytes of every file in a folder.
inline std::map<std::string, std::string> folder_bytes(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files[std::filesystem::relative(entry.path(), folder).string()] = read_text_file(entry.path().string());
  }
  return files;
}

/// Names the files that differ, for a readable message.
inline std::string difference(const std::map<std::string, std::string>& a,
                              const std::map<std::string, std::string>& b) {
  std::string names;
  for (const auto& [name, bytes] : a) {
    if (!b.contains(name) || b.at(name) != bytes) names += name + " ";
  }
  for (const auto& [name, bytes] : b) {
    if (!a.contains(name)) names += name + " ";
  }
  return names;
}

using RowEntries = std::map<SparseIndex, float>;

inline std::vector<RowEntries> matrix_rows(const CodeBatchView& batch) {
  const Csr x = to_csr(batch);
  check_csr(x.view());
  std::vector<RowEntries> rows(static_cast<std::size_t>(x.num_rows));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (SparseIndex at = x.row_offsets[row]; at < x.row_offsets[row + 1]; ++at) {
      rows[row][x.columns[static_cast<std::size_t>(at)]] = x.values[static_cast<std::size_t>(at)];
    }
  }
  return rows;
}

/// All rows of a dataset, in the order of its shards.
inline CodeBatch all_rows(const Dataset& dataset) {
  CodeBatch rows(dataset.layout());
  for (std::size_t i = 0; i < dataset.num_shards(); ++i) rows.append(dataset.open_shard(i, true).view());
  return rows;
}

inline TransformReport run_transform(const std::string& toml, const std::vector<std::string>& inputs,
                                     const std::string& output, TransformOptions options = {}) {
  options.inputs = inputs;
  options.output_directory = output;
  return transform(source(toml), options);
}

inline FitReport run_fit(const std::string& toml, const std::vector<std::string>& inputs,
                         const std::string& output, FitOptions options = {}) {
  options.inputs = inputs;
  options.output_directory = output;
  return fit(source(toml), options);
}

}  // namespace widehash::test
