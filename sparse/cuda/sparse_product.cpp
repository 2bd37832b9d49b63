#include "sparse_product.hpp"

#include <widehash/error.hpp>

#include <algorithm>

#include <cusparse.h>
#include <fmt/format.h>

namespace widehash::cuda {
namespace {

void check_sparse(cusparseStatus_t status, const char* call) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  throw DeviceError(fmt::format("{} failed: {}", call, cusparseGetErrorString(status)));
}

/// cuSPARSE takes pointers to non-const even for data that it only reads.
template <class T>
void* changeable(const T* data) {
  return const_cast<T*>(data);
}

class SparseMatrix {
 public:
  explicit SparseMatrix(const DeviceCsrView& x) {
    check_sparse(
        cusparseCreateCsr(&matrix_, x.num_rows, x.num_columns, x.num_nonzeros, changeable(x.row_offsets),
                          changeable(x.columns), changeable(x.values), CUSPARSE_INDEX_64I, CUSPARSE_INDEX_64I,
                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
        "cusparseCreateCsr");
  }
  ~SparseMatrix() { (void)cusparseDestroySpMat(matrix_); }
  SparseMatrix(const SparseMatrix&) = delete;
  SparseMatrix& operator=(const SparseMatrix&) = delete;
  cusparseSpMatDescr_t get() const noexcept { return matrix_; }

 private:
  cusparseSpMatDescr_t matrix_ = nullptr;
};

class DenseMatrix {
 public:
  DenseMatrix(SparseIndex rows, std::size_t columns, std::size_t row_stride, const float* values) {
    check_sparse(cusparseCreateDnMat(&matrix_, rows, static_cast<SparseIndex>(columns),
                                     static_cast<SparseIndex>(row_stride), changeable(values), CUDA_R_32F,
                                     CUSPARSE_ORDER_ROW),
                 "cusparseCreateDnMat");
  }
  ~DenseMatrix() { (void)cusparseDestroyDnMat(matrix_); }
  DenseMatrix(const DenseMatrix&) = delete;
  DenseMatrix& operator=(const DenseMatrix&) = delete;
  cusparseDnMatDescr_t get() const noexcept { return matrix_; }

 private:
  cusparseDnMatDescr_t matrix_ = nullptr;
};

}  // namespace

DeviceCsr::DeviceCsr(const DeviceContext& context, const CsrView& matrix)
    : num_rows(matrix.num_rows),
      num_columns(matrix.num_columns),
      row_offsets(make_device_copy(context, matrix.row_offsets, "row offsets of a CSR matrix")),
      columns(make_device_copy(context, matrix.columns, "columns of a CSR matrix")),
      values(make_device_copy(context, matrix.values, "values of a CSR matrix")) {}

SparseProduct::SparseProduct(const DeviceContext& context, std::size_t units_at_once)
    : context_(context), units_at_once_(units_at_once) {
  context_.make_current();
  check_sparse(cusparseCreate(&handle_), "cusparseCreate");
  check_sparse(cusparseSetStream(handle_, context_.stream().get()), "cusparseSetStream");
}

SparseProduct::~SparseProduct() { (void)cusparseDestroy(handle_); }

void SparseProduct::multiply(const DeviceCsrView& x, const float* w, std::size_t units, float* y) {
  run(x, false, w, units, 0.0f, y);
}

void SparseProduct::add_transposed(const DeviceCsrView& x, const float* d, std::size_t units, float* g) {
  run(x, true, d, units, 1.0f, g);
}

void SparseProduct::run(const DeviceCsrView& x, bool is_transposed, const float* in, std::size_t units,
                        float beta, float* out) {
  const SparseIndex in_rows = is_transposed ? x.num_rows : x.num_columns;
  const SparseIndex out_rows = is_transposed ? x.num_columns : x.num_rows;
  if (out_rows == 0 || units == 0) return;
  context_.make_current();
  if (x.num_nonzeros == 0) {
    // Not every version of cuSPARSE takes a matrix without entries.
    if (beta != 0) return;
    const std::size_t bytes = static_cast<std::size_t>(out_rows) * units * sizeof(float);
    check(cudaMemsetAsync(out, 0, bytes, context_.stream().get()), "cudaMemsetAsync");
    return;
  }
  const auto operation = is_transposed ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
  const float alpha = 1;
  const SparseMatrix sparse(x);
  for (std::size_t first = 0; first < units; first += units_at_once_) {
    const std::size_t width = std::min(units_at_once_, units - first);
    const DenseMatrix from(in_rows, width, units, in + first);
    const DenseMatrix to(out_rows, width, units, out + first);
    std::size_t bytes = 0;
    check_sparse(
        cusparseSpMM_bufferSize(handle_, operation, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, sparse.get(),
                                from.get(), &beta, to.get(), CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, &bytes),
        "cusparseSpMM_bufferSize");
    workspace_.reserve(context_, bytes, "workspace of cuSPARSE");
    check_sparse(
        cusparseSpMM(handle_, operation, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, sparse.get(), from.get(),
                     &beta, to.get(), CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, workspace_.data()),
        "cusparseSpMM");
  }
}

}  // namespace widehash::cuda
