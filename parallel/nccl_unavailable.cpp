#include "nccl_link.hpp"

namespace widehash::detail {

std::unique_ptr<NcclLink> make_nccl_link(Communicator&, const HostLayout&, const cuda::DeviceContext&,
                                         SumOrder, TellOthers) {
  return nullptr;
}

}  // namespace widehash::detail
