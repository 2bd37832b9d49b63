// Sees ranges as NVIDIA's profilers do: the first call of NVTX loads the library that NVTX_INJECTION64_PATH
// names. This one writes a line per range event to the file named by WIDEHASH_NVTX_LOG: "begin ID NAME", "end ID".

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include <nvtx3/nvToolsExt.h>

namespace {

std::FILE* log_file() {
  static std::FILE* const file = std::fopen(std::getenv("WIDEHASH_NVTX_LOG"), "w");
  return file;
}

// The library defines its own handles; one domain is enough here.
nvtxDomainHandle_t create_domain(const char* name) {
  std::fprintf(log_file(), "domain %s\n", name);
  std::fflush(log_file());
  static int domain = 0;
  return reinterpret_cast<nvtxDomainHandle_t>(&domain);
}

nvtxRangeId_t begin_range(nvtxDomainHandle_t, const nvtxEventAttributes_t* attributes) {
  static std::atomic<nvtxRangeId_t> last{0};
  const nvtxRangeId_t id = ++last;
  std::fprintf(log_file(), "begin %llu %s\n", static_cast<unsigned long long>(id), attributes->message.ascii);
  std::fflush(log_file());
  return id;
}

void end_range(nvtxDomainHandle_t, nvtxRangeId_t id) {
  std::fprintf(log_file(), "end %llu\n", static_cast<unsigned long long>(id));
  std::fflush(log_file());
}

}  // namespace

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable functions = nullptr;
  unsigned size = 0;
  if (callbacks == nullptr ||
      callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &functions, &size) == 0 ||
      size <= NVTX_CBID_CORE2_DomainCreateA)
    return 0;
  *functions[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(&create_domain);
  *functions[NVTX_CBID_CORE2_DomainRangeStartEx] = reinterpret_cast<NvtxFunctionPointer>(&begin_range);
  *functions[NVTX_CBID_CORE2_DomainRangeEnd] = reinterpret_cast<NvtxFunctionPointer>(&end_range);
  return 1;
}
