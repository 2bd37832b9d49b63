#pragma once

/// \file
/// Exports a dataset to the formats of other programs. Shards are read one after the other in slices of rows,
/// so memory is bounded whatever the size of the dataset, and the checksums of every shard are verified on
/// the way. A file is put in place only when it is complete; a full disk throws FileError and leaves no file.
/// The formats are described in docs/formats.md.

#include <widehash/dataset.hpp>
#include <widehash/progress.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace widehash {

/// Writes the matrix for scipy.sparse.load_npz: `format`, `shape`, `indptr` and `indices` (int64), `data`
/// (float32), stored and not deflated. If the dataset has `targets` and `weights` (float32, one per row),
/// they are further arrays of the same file, which load_npz ignores and numpy.load shows. Cost: three passes
/// over the shards; on disk 12 bytes per nonzero and 8 per row.
void export_npz(const Dataset& dataset, const std::string& path, const ProgressCallback& progress = {});

/// Receives the next piece of a text, always whole lines. May throw to stop.
using TextSink = std::function<void(std::string_view)>;

/// Writes lines `target column:value ...`, with ascending columns counted from 1, for LIBLINEAR, LIBSVM and
/// programs that read their files. The target is 0 if the dataset has none. The format has no place for
/// weights of rows, so they are left out. Cost: one pass; lines are made in parallel and written in order.
void export_libsvm(const Dataset& dataset, const TextSink& sink, const ProgressCallback& progress = {});
void export_libsvm(const Dataset& dataset, const std::string& path, const ProgressCallback& progress = {});

/// Writes lines `label weight |f column:value ...`, with columns counted from 0, for Vowpal Wabbit. The label
/// is -1 or 1 if the schema's label is binary or a number that is 0 or 1 in every row, the class counted from
/// 1 if it is a class, and the number itself otherwise. The weight is there if the dataset has weights.
/// Without a label, lines begin with the bar. Cost: as export_libsvm, plus a pass over all targets first if
/// the label is a number.
void export_vw(const Dataset& dataset, const TextSink& sink, const ProgressCallback& progress = {});
void export_vw(const Dataset& dataset, const std::string& path, const ProgressCallback& progress = {});

}  // namespace widehash
