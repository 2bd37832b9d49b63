#include <widehash/strategy.hpp>

#include <algorithm>
#include <optional>

namespace widehash {
namespace {

// Number of values sent at a time, and so the memory that rank 0 needs in addition to its own part.
constexpr std::uint64_t piece_values = std::uint64_t{1} << 20;

/// What a rank holds of a tower, in the form shared with every rank.
struct PartShape {
  std::uint64_t is_there = 0;
  std::uint64_t columns = 0;
  std::uint64_t step = 0;
};

template <class Real>
class PartsWriter {
 public:
  PartsWriter(const std::string& path, Communicator& communicator, const Strategy<Real>& strategy,
              ModelHeader& header)
      : communicator_(communicator), parts_(strategy.parts()), num_towers_(parts_.size()) {
    share_shapes();
    header.steps.assign(num_towers_, 0);
    for (std::size_t tower = 0; tower < num_towers_; ++tower)
      header.steps[tower] = shape(owner(tower), tower).step;
    if (communicator.rank() == 0) file_.emplace(path, header);
  }

  void write(const ModelHeader& header) {
    const auto sizes = tensor_sizes(header.architecture);
    for (std::size_t tower = 0; tower < num_towers_; ++tower) {
      for (int state = -1; state < num_states(header.optimizer.kind); ++state) {
        for (std::size_t tensor = 0; tensor < sizes.size(); ++tensor) {
          if (tensor > 0) {
            send(owner(tower), {parts_[tower], state, tensor}, sizes[tensor]);
            continue;
          }
          for (std::size_t rank = 0; rank < num_ranks(); ++rank)
            send(rank, {parts_[tower], state, tensor},
                 shape(rank, tower).columns * header.architecture.first_units());
        }
      }
    }
    if (file_) file_->finish();
  }

 private:
  std::size_t num_ranks() const noexcept { return static_cast<std::size_t>(communicator_.size()); }
  const PartShape& shape(std::size_t rank, std::size_t tower) const {
    return shapes_[rank * num_towers_ + tower];
  }

  void share_shapes() {
    std::vector<PartShape> own(num_towers_);
    for (std::size_t tower = 0; tower < num_towers_; ++tower) {
      if (parts_[tower] == nullptr) continue;
      own[tower] = {1, parts_[tower]->shape().updated_columns.size(), parts_[tower]->step()};
    }
    shapes_.resize(num_ranks() * num_towers_);
    communicator_.all_gather<PartShape>(own, even_offsets(shapes_.size(), num_ranks()), shapes_);
  }

  /// The rank that provides a tower's tail: the first rank that has the tower.
  std::size_t owner(std::size_t tower) const {
    std::size_t rank = 0;
    while (rank + 1 < num_ranks() && shape(rank, tower).is_there == 0) ++rank;
    return rank;
  }

  /// A tensor of this rank, which may not have it.
  struct OwnTensor {
    const Replica<Real>* replica = nullptr;
    int state = -1;  // -1: the parameters
    std::size_t tensor = 0;

    std::span<const Real> read(std::size_t begin, std::size_t count, std::vector<Real>& scratch) const {
      return replica->read(state < 0 ? ValueSet::parameters : state_set(state), tensor, begin, count,
                           scratch);
    }
  };

  /// Sends `count` values of `rank` to the file.
  void send(std::size_t rank, const OwnTensor& own, std::uint64_t count) {
    const bool is_sender = rank == static_cast<std::size_t>(communicator_.rank());
    for (std::uint64_t at = 0; at < count; at += piece_values) {
      const std::uint64_t size = std::min(piece_values, count - at);
      if (rank == 0) {
        if (file_) file_->append(own.read(at, size, scratch_));
        continue;
      }
      std::vector<std::size_t> offsets(num_ranks() + 1, 0);
      std::fill(offsets.begin() + static_cast<std::ptrdiff_t>(rank) + 1, offsets.end(), size);
      if (file_) piece_.resize(size);
      communicator_.gather<Real>(is_sender ? own.read(at, size, scratch_) : std::span<const Real>(), offsets,
                                 0, piece_);
      if (file_) file_->append(piece_);
    }
  }

  Communicator& communicator_;
  std::vector<const Replica<Real>*> parts_;
  std::size_t num_towers_;
  std::vector<PartShape> shapes_;          // [ranks x towers]
  std::optional<ModelWriter<Real>> file_;  // on rank 0 only
  std::vector<Real> piece_;
  std::vector<Real> scratch_;
};

}  // namespace

template <class Real>
void save_model(const std::string& path, Communicator& communicator, const Strategy<Real>& strategy,
                ModelHeader& header) {
  PartsWriter<Real> writer(path, communicator, strategy, header);
  writer.write(header);
}

template void save_model(const std::string&, Communicator&, const Strategy<float>&, ModelHeader&);
template void save_model(const std::string&, Communicator&, const Strategy<double>&, ModelHeader&);

}  // namespace widehash
