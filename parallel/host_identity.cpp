#include "host_identity.hpp"

#include <array>
#include <fstream>

#include <unistd.h>

namespace widehash::detail {

std::string host_identity() {
  std::array<char, 80> name{};
  (void)::gethostname(name.data(), name.size() - 1);
  std::array<char, 40> boot{};
  std::ifstream("/proc/sys/kernel/random/boot_id").getline(boot.data(), boot.size());
  return std::string(name.data()) + ' ' + boot.data();
}

}  // namespace widehash::detail
