#include <widehash/error.hpp>
#include <widehash/replica.hpp>

namespace widehash {

std::unique_ptr<Replica<float>> make_cuda_replica(int, const Network<float>&, const Optimizer<float>&,
                                                  const ReplicaShape&) {
  throw DeviceError("no CUDA device can be used here (built without CUDA); use cpu");
}

}  // namespace widehash
