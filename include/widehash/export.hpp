#pragma once

/// \file
/// A dataset in the words of other programs. Shards are read one after the other in slices of rows, so memory
/// is bounded whatever the size of the dataset, and every shard's checksums are verified on the way. A file
/// is put in place only when it is whole; a full disk throws FileError and leaves nothing. The formats are
/// described in docs/formats.md.

#include <widehash/dataset.hpp>
#include <widehash/progress.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace widehash {

/// The matrix for scipy.sparse.load_npz: `format`, `shape`, `indptr` and `indices` (int64), `data` (float32),
/// stored and not deflated. Where the dataset has them, `targets` and `weights` (float32, one per row) are
/// further arrays of the same file, which load_npz passes over and numpy.load shows. Cost: three passes over
/// the shards; 12 bytes on disk a non-zero and 8 a row.
void export_npz(const Dataset& dataset, const std::string& path, const ProgressCallback& progress = {});

/// Takes the next piece of a text, whole lines at a time. May throw to stop.
using TextSink = std::function<void(std::string_view)>;

/// `target column:value ...` a line, columns counted from 1 and ascending, for LIBLINEAR, LIBSVM and those
/// that read their files. The target is 0 where the dataset has none. Weights of rows have no place in this
/// format and are left out. Cost: one pass, lines made in parallel and written in order.
void export_libsvm(const Dataset& dataset, const TextSink& sink, const ProgressCallback& progress = {});
void export_libsvm(const Dataset& dataset, const std::string& path, const ProgressCallback& progress = {});

/// `label weight |f column:value ...` a line, columns counted from 0, for Vowpal Wabbit. The label is -1 or 1
/// where the schema's is binary or a number that is 0 or 1 in every row, the class counted from 1 where it is
/// a class, the number otherwise; the weight is there where the dataset has weights. Without a label, lines
/// begin with the bar. Cost: as export_libsvm, and where the label is a number a look at all targets before.
void export_vw(const Dataset& dataset, const TextSink& sink, const ProgressCallback& progress = {});
void export_vw(const Dataset& dataset, const std::string& path, const ProgressCallback& progress = {});

}  // namespace widehash
