// SPDX-License-Identifier: Apache-2.0
// acl.blas: matrices and vectors at addresses.
#include "acl/ops/acl_cblas.h"
#include "bind.h"

namespace belay::python {

PyMethodDef* blas_methods() {
  static PyMethodDef methods[] = {addresses<"gemv_ex", aclblasGemvEx>(),
                                  row<"create_handle_for_gemv_ex", aclblasCreateHandleForGemvEx>(),
                                  addresses<"hgemv", aclblasHgemv>(),
                                  row<"create_handle_for_hgemv", aclblasCreateHandleForHgemv>(),
                                  addresses<"s8gemv", aclblasS8gemv>(),
                                  row<"create_handle_for_s8gemv", aclblasCreateHandleForS8gemv>(),
                                  addresses<"gemm_ex", aclblasGemmEx>(),
                                  row<"create_handle_for_gemm_ex", aclblasCreateHandleForGemmEx>(),
                                  addresses<"hgemm", aclblasHgemm>(),
                                  row<"create_handle_for_hgemm", aclblasCreateHandleForHgemm>(),
                                  addresses<"s8gemm", aclblasS8gemm>(),
                                  row<"create_handle_for_s8gemm", aclblasCreateHandleForS8gemm>(),
                                  {}};
  return methods;
}

}  // namespace belay::python
