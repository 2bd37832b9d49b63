#include "batch.hpp"
#include "no_gil.hpp"
#include "thread_count.hpp"

#include <widehash/column_table.hpp>
#include <widehash/dataset_writer.hpp>
#include <widehash/encoder.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/scratch_folder.hpp>
#include <widehash/table_set_writer.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

namespace widehash::python {
namespace {

/// A writer whose calls from several Python threads run one after another.
template <class Writer>
class Guarded {
 public:
  template <class... Arguments>
  explicit Guarded(Arguments&&... arguments) : writer_(std::forward<Arguments>(arguments)...) {}

  /// Calls use(writer) without the interpreter's lock.
  template <class Use>
  void with(const Use& use) {
    const NoGil no_gil;
    const std::lock_guard lock(mutex_);
    use(writer_);
  }

 private:
  std::mutex mutex_;
  Writer writer_;
};

using Tables = std::vector<ColumnTable>;
using Counter = Guarded<TableSetWriter>;

// Shared by both writers below.

template <class Self>
void append_tables(Self& self, const Tables& tables, std::size_t threads) {
  self.with([&](auto& writer) {
    on_threads(threads, [&] {
      for (const ColumnTable& table : tables) writer.append(table);
    });
  });
}

template <class Self>
void finish(Self& self) {
  self.with([](auto& writer) { writer.finish(); });
}

template <class Self>
void discard(Self& self) {
  self.with([](auto& writer) { writer.discard(); });
}

template <class Self>
bool is_open(Self& self) {
  bool open = false;
  self.with([&](const auto& writer) { open = writer.is_open(); });
  return open;
}

/// The encoder lives as long as its writer.
struct BatchWriter : Guarded<DatasetWriter> {
  BatchWriter(const Encoder& used, const DatasetWriterOptions& options)
      : Guarded<DatasetWriter>(used, options), encoder(used) {}

  const Encoder& encoder;
};

void append_batch(BatchWriter& self, const Batch& batch) {
  if (!(batch.fingerprint == self.encoder.fingerprint())) {
    throw ConfigError("the rows were encoded with another schema or other tables than those of this dataset");
  }
  if (self.encoder.layout()->has_targets && !batch.has_label) {
    throw ConfigError("the rows were encoded without the label of their schema");
  }
  if (self.encoder.layout()->has_weights && !batch.has_weight) {
    throw ConfigError("the rows were encoded without the weight of their schema");
  }
  self.with([&](DatasetWriter& writer) {
    const Batch rows = batch.in_layout(self.encoder.layout());
    writer.append(rows.view, rows.rejected);
  });
}

}  // namespace

void bind_writers(py::module_& module) {
  py::class_<ScratchFolder>(module, "ScratchFolder").def(py::init<std::string>(), py::arg("path"));
  py::class_<BatchWriter>(module, "DatasetWriter")
      .def(py::init([](const Encoder& encoder, const std::string& directory, std::uint64_t max_bad_rows,
                       std::uint64_t shard_bytes, bool overwrite) {
             return std::make_unique<BatchWriter>(
                 encoder, DatasetWriterOptions{directory, max_bad_rows, shard_bytes, overwrite});
           }),
           py::keep_alive<1, 2>())
      .def("append_tables", &append_tables<BatchWriter>)
      .def("append_batch", &append_batch)
      .def("finish", &finish<BatchWriter>)
      .def("discard", &discard<BatchWriter>)
      .def_property_readonly("is_open", &is_open<BatchWriter>);
  py::class_<Counter>(module, "TableSetWriter")
      .def(py::init([](const Schema& schema, const std::string& directory, std::uint64_t max_bad_rows,
                       std::uint64_t memory_bytes, bool overwrite) {
        return std::make_unique<Counter>(
            schema, TableSetWriterOptions{directory, max_bad_rows, memory_bytes, overwrite});
      }))
      .def_property_readonly("fields",
                             [](Counter& counter) {
                               std::vector<std::string> names;
                               counter.with([&](TableSetWriter& writer) { names = writer.field_names(); });
                               return names;
                             })
      .def("append_tables", &append_tables<Counter>)
      .def("finish", &finish<Counter>)
      .def("discard", &discard<Counter>)
      .def_property_readonly("is_open", &is_open<Counter>);
  module.attr("default_shard_bytes") = default_shard_bytes;
}

}  // namespace widehash::python
