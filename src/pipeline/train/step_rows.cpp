#include "step_rows.hpp"

#include <utility>

namespace widehash {

void StepRows::gather(GatheredStep& step, RowSlice slice) {
  if (ScatteredBatch::suits(*layout_)) {
    step.scattered = scattered_batches_.take([] { return std::make_unique<ScatteredBatch>(); });
    step.scattered->look_at(slice_of(step.planned->plan(), slice.begin, slice.count), *layout_);
    step.rows = step.scattered->view();
    return;
  }
  if (slice.count == step.planned->num_rows() && several_ranks_) {
    step.rows = step.planned->all_rows(layout_).view();
    return;
  }
  step.own = batches_.take([&] { return std::make_unique<CodeBatch>(layout_); });
  BatchStream::gather(slice_of(step.planned->plan(), slice.begin, slice.count), *step.own);
  step.rows = step.own->view();
}

void StepRows::take_back(GatheredStep& step) {
  if (step.own != nullptr) batches_.give(std::move(step.own));
  if (step.scattered != nullptr) scattered_batches_.give(std::move(step.scattered));
}

}  // namespace widehash
