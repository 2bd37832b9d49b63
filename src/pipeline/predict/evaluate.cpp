#include "dataset_match.hpp"
#include "dataset_metrics.hpp"

#include <widehash/error.hpp>
#include <widehash/evaluate.hpp>

namespace widehash {

MetricsReport evaluate(const std::string& model_path, const std::vector<std::string>& datasets,
                       const ProgressCallback& progress, const Device& device, bool undo_class_weights) {
  const PlacedModel model(model_path, device, undo_class_weights);
  const Dataset dataset = join_datasets(datasets);
  if (dataset.num_rows() == 0)
    throw DataError(dataset.name(), 0, "has no rows to judge by; give a dataset that has some");
  require_weight(dataset, "judge by");
  require_same_encoding(model.source(), model_path, dataset);
  return dataset_metrics(model, dataset, progress);
}

}  // namespace widehash
