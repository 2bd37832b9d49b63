// The cuSPARSE functions that we call. Each forwards to the library; see late_library.hpp.
#include <cusparse.h>
#include <late_library.hpp>

namespace {

const widehash::cuda::LateLibrary& library() {
  static const widehash::cuda::LateLibrary loaded(fmt::format("libcusparse.so.{}", CUSPARSE_VER_MAJOR));
  return loaded;
}

}  // namespace

extern "C" {

const char* cusparseGetErrorString(cusparseStatus_t status) {
  return library().function(cusparseGetErrorString, "cusparseGetErrorString")(status);
}

cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
  return library().function(cusparseCreate, "cusparseCreate")(handle);
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
  return library().function(cusparseDestroy, "cusparseDestroy")(handle);
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
  return library().function(cusparseSetStream, "cusparseSetStream")(handle, stream);
}

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* matrix, int64_t rows, int64_t columns,
                                   int64_t nonzeros, void* row_offsets, void* column_indices, void* values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType value_type) {
  static const auto create = library().function(cusparseCreateCsr, "cusparseCreateCsr");
  return create(matrix, rows, columns, nonzeros, row_offsets, column_indices, values, offset_type, index_type,
                base, value_type);
}

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix) {
  static const auto destroy = library().function(cusparseDestroySpMat, "cusparseDestroySpMat");
  return destroy(matrix);
}

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* matrix, int64_t rows, int64_t columns,
                                     int64_t stride, void* values, cudaDataType value_type,
                                     cusparseOrder_t order) {
  static const auto create = library().function(cusparseCreateDnMat, "cusparseCreateDnMat");
  return create(matrix, rows, columns, stride, values, value_type, order);
}

cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix) {
  static const auto destroy = library().function(cusparseDestroyDnMat, "cusparseDestroyDnMat");
  return destroy(matrix);
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t a_operation,
                                         cusparseOperation_t b_operation, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void* beta, cusparseDnMatDescr_t c, cudaDataType compute_type,
                                         cusparseSpMMAlg_t algorithm, size_t* bytes) {
  static const auto size_of = library().function(cusparseSpMM_bufferSize, "cusparseSpMM_bufferSize");
  return size_of(handle, a_operation, b_operation, alpha, a, b, beta, c, compute_type, algorithm, bytes);
}

cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t a_operation,
                              cusparseOperation_t b_operation, const void* alpha, cusparseConstSpMatDescr_t a,
                              cusparseConstDnMatDescr_t b, const void* beta, cusparseDnMatDescr_t c,
                              cudaDataType compute_type, cusparseSpMMAlg_t algorithm, void* workspace) {
  static const auto multiply = library().function(cusparseSpMM, "cusparseSpMM");
  return multiply(handle, a_operation, b_operation, alpha, a, b, beta, c, compute_type, algorithm, workspace);
}

}  // extern "C"
