// SPDX-License-Identifier: Apache-2.0
// C = alpha * A * B + beta * C, and the same with a vector. Matrices are dense and row-major, whatever lda, ldb, ldc.
#include "acl/ops/acl_cblas.h"

#include "api/core/entry.h"
#include "api/model/data_buffer.h"
#include "api/operators/call.h"
#include "api/operators/handle.h"
#include "base/text.h"
#include "operators/plan_cache.h"
#include "operators/sketch.h"
#include "runtime/device/current.h"
#include "runtime/memory/blocks.h"

using namespace belay;
using namespace belay::api;

namespace {

using graph::DataType;

struct Gemm {
  aclTransType a, b, c;
  int m, n, k;
  aclDataType type_a, type_b, type_c;
};

constexpr int kInputs = 5;  // A, B, C, alpha, beta

Status check(const Gemm& gemm) {
  if (gemm.m <= 0 || gemm.n <= 0 || gemm.k <= 0)
    return {ACL_ERROR_INVALID_PARAM,
            formatted("m, n and k must be above 0; they are {}, {}, {}", gemm.m, gemm.n, gemm.k), "EH0009"};
  for (const aclTransType order : {gemm.a, gemm.b, gemm.c})
    if (order != ACL_TRANS_N && order != ACL_TRANS_T)
      return {ACL_ERROR_INVALID_PARAM, "matrices must be ACL_TRANS_N or ACL_TRANS_T; the NZ orders are not supported",
              "EH0009"};
  if (gemm.c != ACL_TRANS_N) return {ACL_ERROR_INVALID_PARAM, "C must be ACL_TRANS_N", "EH0009"};
  if (gemm.type_a != gemm.type_b) return {ACL_ERROR_INVALID_PARAM, "A and B must have one type", "EH0009"};
  return {};
}

// What a product is as an operator.
struct Made {
  operators::OperatorRequest request;
  operators::SingleOperator op;
};

Result<Made> make(const Gemm& gemm) {
  Made all;
  operators::OperatorRequest& request = all.request;
  const int64_t m = gemm.m, n = gemm.n, k = gemm.k;
  const auto matrix = [](aclDataType type, int64_t rows, int64_t columns, bool swapped) {
    return graph::TensorDesc{.type = to_graph(type),
                             .shape = swapped ? graph::Shape{columns, rows} : graph::Shape{rows, columns}};
  };
  const graph::TensorDesc scalar{.type = to_graph(gemm.type_c)};
  const auto c = matrix(gemm.type_c, m, n, false);
  request.type = "GEMM";
  request.inputs = {matrix(gemm.type_a, m, k, gemm.a == ACL_TRANS_T), matrix(gemm.type_b, k, n, gemm.b == ACL_TRANS_T),
                    c, scalar, scalar};
  request.values.resize(kInputs);
  request.outputs = {c};
  operators::Sketch sketch;
  operators::Values inputs;
  for (const auto& desc : request.inputs) inputs.push_back(sketch.input(desc.type, desc.shape, graph::Format::ND));
  if (c.type == DataType::Float)  // rounded once, at the end
    for (size_t i = 0; i < 2; ++i) inputs[i] = TRY(sketch.cast(inputs[i], c.type));
  const auto product =
      TRY(sketch.op("GEMM", inputs, {{"transpose_a", gemm.a == ACL_TRANS_T}, {"transpose_b", gemm.b == ACL_TRANS_T}}));
  if (product.type != c.type)
    return Status{
        ACL_ERROR_UNSUPPORTED_DATA_TYPE,
        formatted("a product of {} cannot be {}", graph::name_of(request.inputs[0].type), graph::name_of(c.type))};
  all.op.plan = TRY(operators::Plan::make(sketch.finish({product})));
  all.op.inputs = {0, 1, 2, 3, 4};
  return all;
}

// Made once for those that agree in all.
Result<Made> find(const Gemm& gemm) {
  static auto& kept = *new operators::PlanCache<Made>;
  const int parts[] = {gemm.a, gemm.b, gemm.c, gemm.m, gemm.n, gemm.k, gemm.type_a, gemm.type_b, gemm.type_c};
  const std::string key(reinterpret_cast<const char*>(parts), sizeof(parts));
  if (auto found = kept.find(key)) return *std::move(found);
  auto made = TRY(with_code(make(gemm), ACL_ERROR_OP_NOT_FOUND));
  kept.keep(key, made);
  return made;
}

Status create(const Gemm& gemm, aclopHandle** handle) {
  TRY(not_null(handle, "handle"));
  TRY(check(gemm));
  Made found = TRY(find(gemm));
  auto made = std::make_unique<aclopHandle>();
  made->op = std::move(found.op);
  made->request = std::move(found.request);
  *handle = made.release();
  return {};
}

// A number in the program's own memory, which may be gone when the stream gets to it.
void copy_now(OpExecution& execution, size_t input) {
  backend::Tensor& tensor = execution.inputs[input];
  const auto* bytes = static_cast<const std::byte*>(tensor.data);
  tensor.data = execution.copies.emplace_back(bytes, bytes + graph::bytes_of(tensor.type, tensor.count())).data();
}

Status multiply(const Gemm& gemm, const void* alpha, const void* a, const void* b, const void* beta, void* c,
                aclrtStream stream) {
  TRY(not_null(alpha, "alpha"));
  TRY(not_null(a, "A"));
  TRY(not_null(b, "B"));
  TRY(not_null(beta, "beta"));
  TRY(not_null(c, "C"));
  TRY(check(gemm));
  auto target = TRY(find_stream(stream));
  auto [request, op] = TRY(find(gemm));
  const void* addresses[kInputs] = {a, b, c, alpha, beta};
  aclDataBuffer buffers[kInputs];
  const aclDataBuffer* inputs[kInputs];
  for (int i = 0; i < kInputs; ++i) {
    const auto& desc = request.inputs[static_cast<size_t>(i)];
    buffers[i] = {const_cast<void*>(addresses[i]), graph::bytes_of(desc.type, graph::element_count(desc.shape))};
    inputs[i] = &buffers[i];
  }
  aclDataBuffer result = buffers[2];
  aclDataBuffer* outputs[] = {&result};
  auto execution = TRY(place(std::move(op), request, {inputs, outputs}));
  for (const size_t i : {3, 4})
    if (blocks().locate(addresses[i]).place == Place::Pageable) copy_now(execution, i);
  return launch(std::move(execution), target);
}

// A matrix times a vector: a product whose second matrix has one column.
Gemm gemv(aclTransType a, int m, int n, aclDataType type_a, aclDataType type_x, aclDataType type_y) {
  return {a, ACL_TRANS_N, ACL_TRANS_N, m, 1, n, type_a, type_x, type_y};
}

}  // namespace

aclError aclblasGemmEx(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k,
                       const void* alpha, const void* matrixA, int lda, aclDataType dataTypeA, const void* matrixB,
                       int ldb, aclDataType dataTypeB, const void* beta, void* matrixC, int ldc, aclDataType dataTypeC,
                       aclComputeType type, aclrtStream stream) {
  return entry(
      __func__,
      [&] {
        return multiply({transA, transB, transC, m, n, k, dataTypeA, dataTypeB, dataTypeC}, alpha, matrixA, matrixB,
                        beta, matrixC, stream);
      },
      transA, transB, transC, m, n, k, alpha, matrixA, lda, dataTypeA, matrixB, ldb, dataTypeB, beta, matrixC, ldc,
      dataTypeC, type, stream);
}

aclError aclblasCreateHandleForGemmEx(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n,
                                      int k, aclDataType dataTypeA, aclDataType dataTypeB, aclDataType dataTypeC,
                                      aclComputeType type, aclopHandle** handle) {
  return entry(
      __func__,
      [&] {
        return create({transA, transB, transC, m, n, k, dataTypeA, dataTypeB, dataTypeC}, handle);
      },
      transA, transB, transC, m, n, k, dataTypeA, dataTypeB, dataTypeC, type, handle);
}

aclError aclblasHgemm(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k,
                      const aclFloat16* alpha, const aclFloat16* matrixA, int lda, const aclFloat16* matrixB, int ldb,
                      const aclFloat16* beta, aclFloat16* matrixC, int ldc, aclComputeType type, aclrtStream stream) {
  return entry(
      __func__,
      [&] {
        return multiply({transA, transB, transC, m, n, k, ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT16}, alpha, matrixA,
                        matrixB, beta, matrixC, stream);
      },
      transA, transB, transC, m, n, k, alpha, matrixA, lda, matrixB, ldb, beta, matrixC, ldc, type, stream);
}

aclError aclblasCreateHandleForHgemm(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k,
                                     aclComputeType type, aclopHandle** handle) {
  return entry(
      __func__,
      [&] {
        return create({transA, transB, transC, m, n, k, ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT16}, handle);
      },
      transA, transB, transC, m, n, k, type, handle);
}

aclError aclblasS8gemm(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k,
                       const int32_t* alpha, const int8_t* matrixA, int lda, const int8_t* matrixB, int ldb,
                       const int32_t* beta, int32_t* matrixC, int ldc, aclComputeType type, aclrtStream stream) {
  return entry(
      __func__,
      [&] {
        return multiply({transA, transB, transC, m, n, k, ACL_INT8, ACL_INT8, ACL_INT32}, alpha, matrixA, matrixB, beta,
                        matrixC, stream);
      },
      transA, transB, transC, m, n, k, alpha, matrixA, lda, matrixB, ldb, beta, matrixC, ldc, type, stream);
}

aclError aclblasCreateHandleForS8gemm(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n,
                                      int k, aclComputeType type, aclopHandle** handle) {
  return entry(
      __func__,
      [&] {
        return create({transA, transB, transC, m, n, k, ACL_INT8, ACL_INT8, ACL_INT32}, handle);
      },
      transA, transB, transC, m, n, k, type, handle);
}

aclError aclblasGemvEx(aclTransType transA, int m, int n, const void* alpha, const void* a, int lda,
                       aclDataType dataTypeA, const void* x, int incx, aclDataType dataTypeX, const void* beta, void* y,
                       int incy, aclDataType dataTypeY, aclComputeType type, aclrtStream stream) {
  return entry(
      __func__,
      [&] { return multiply(gemv(transA, m, n, dataTypeA, dataTypeX, dataTypeY), alpha, a, x, beta, y, stream); },
      transA, m, n, alpha, a, lda, dataTypeA, x, incx, dataTypeX, beta, y, incy, dataTypeY, type, stream);
}

aclError aclblasCreateHandleForGemvEx(aclTransType transA, int m, int n, aclDataType dataTypeA, aclDataType dataTypeX,
                                      aclDataType dataTypeY, aclComputeType type, aclopHandle** handle) {
  return entry(
      __func__, [&] { return create(gemv(transA, m, n, dataTypeA, dataTypeX, dataTypeY), handle); }, transA, m, n,
      dataTypeA, dataTypeX, dataTypeY, type, handle);
}

aclError aclblasHgemv(aclTransType transA, int m, int n, const aclFloat16* alpha, const aclFloat16* a, int lda,
                      const aclFloat16* x, int incx, const aclFloat16* beta, aclFloat16* y, int incy,
                      aclComputeType type, aclrtStream stream) {
  return entry(
      __func__,
      [&] { return multiply(gemv(transA, m, n, ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT16), alpha, a, x, beta, y, stream); },
      transA, m, n, alpha, a, lda, x, incx, beta, y, incy, type, stream);
}

aclError aclblasCreateHandleForHgemv(aclTransType transA, int m, int n, aclComputeType type, aclopHandle** handle) {
  return entry(
      __func__, [&] { return create(gemv(transA, m, n, ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT16), handle); }, transA, m, n,
      type, handle);
}

aclError aclblasS8gemv(aclTransType transA, int m, int n, const int32_t* alpha, const int8_t* a, int lda,
                       const int8_t* x, int incx, const int32_t* beta, int32_t* y, int incy, aclComputeType type,
                       aclrtStream stream) {
  return entry(
      __func__,
      [&] { return multiply(gemv(transA, m, n, ACL_INT8, ACL_INT8, ACL_INT32), alpha, a, x, beta, y, stream); }, transA,
      m, n, alpha, a, lda, x, incx, beta, y, incy, type, stream);
}

aclError aclblasCreateHandleForS8gemv(aclTransType transA, int m, int n, aclComputeType type, aclopHandle** handle) {
  return entry(
      __func__, [&] { return create(gemv(transA, m, n, ACL_INT8, ACL_INT8, ACL_INT32), handle); }, transA, m, n, type,
      handle);
}
