// The NCCL functions that we call. Each forwards to the library, which is loaded on first use; see
// late_library.hpp.
#include <late_library.hpp>
#include <nccl.h>

namespace {

const widehash::cuda::LateLibrary& library() {
  static const widehash::cuda::LateLibrary loaded(fmt::format("libnccl.so.{}", NCCL_MAJOR));
  return loaded;
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  return library().function(ncclGetVersion, "ncclGetVersion")(version);
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  return library().function(ncclGetUniqueId, "ncclGetUniqueId")(id);
}

ncclResult_t ncclCommInitRank(ncclComm_t* communicator, int size, ncclUniqueId id, int rank) {
  return library().function(ncclCommInitRank, "ncclCommInitRank")(communicator, size, id, rank);
}

ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  return library().function(ncclCommDestroy, "ncclCommDestroy")(communicator);
}

ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  return library().function(ncclCommAbort, "ncclCommAbort")(communicator);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* state) {
  return library().function(ncclCommGetAsyncError, "ncclCommGetAsyncError")(communicator, state);
}

const char* ncclGetErrorString(ncclResult_t result) {
  return library().function(ncclGetErrorString, "ncclGetErrorString")(result);
}

const char* ncclGetLastError(ncclComm_t communicator) {
  return library().function(ncclGetLastError, "ncclGetLastError")(communicator);
}

ncclResult_t ncclGroupStart() { return library().function(ncclGroupStart, "ncclGroupStart")(); }

ncclResult_t ncclGroupEnd() { return library().function(ncclGroupEnd, "ncclGroupEnd")(); }

ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t communicator, cudaStream_t stream) {
  static const auto reduce = library().function(ncclAllReduce, "ncclAllReduce");
  return reduce(from, to, count, type, operation, communicator, stream);
}

ncclResult_t ncclSend(const void* values, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream) {
  static const auto send = library().function(ncclSend, "ncclSend");
  return send(values, count, type, peer, communicator, stream);
}

ncclResult_t ncclRecv(void* values, size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream) {
  static const auto receive = library().function(ncclRecv, "ncclRecv");
  return receive(values, count, type, peer, communicator, stream);
}

}  // extern "C"
