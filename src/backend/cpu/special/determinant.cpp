// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>
#include <vector>

#include "backend/cpu/convert_element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {
namespace {

// By elimination, each column's largest element first.
double determinant(std::vector<double>& a, int64_t n) {
  double product = 1;
  for (int64_t column = 0; column < n; ++column) {
    int64_t pivot = column;
    for (int64_t row = column + 1; row < n; ++row)
      if (std::abs(a[row * n + column]) > std::abs(a[pivot * n + column])) pivot = row;
    if (a[pivot * n + column] == 0) return 0;
    if (pivot != column) {
      product = -product;
      for (int64_t i = 0; i < n; ++i) std::swap(a[pivot * n + i], a[column * n + i]);
    }
    product *= a[column * n + column];
    for (int64_t row = column + 1; row < n; ++row) {
      const double factor = a[row * n + column] / a[column * n + column];
      for (int64_t i = column; i < n; ++i) a[row * n + i] -= factor * a[column * n + i];
    }
  }
  return product;
}

MadeKernel make_determinant(const KernelRequest& request) {
  const Shape& x = request.inputs[0].shape;
  if (x.size() < 2 || x.back() != x.end()[-2]) return refuse("x must hold square matrices");
  const int64_t n = x.back();
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([n](Inputs in, Outputs out) -> Status {
      const T* from = in[0].as<T>();
      std::vector<double> matrix(static_cast<size_t>(n * n));
      for (int64_t i = 0, count = out[0].count(); i < count; ++i) {
        for (double& element : matrix) element = static_cast<double>(compute_t<T>(*from++));
        out[0].as<T>()[i] = convert_element<T>(determinant(matrix, n));
      }
      return {};
    });
  });
}

constexpr KernelRow rows[] = {{"MatrixDeterminant", "reference", make_determinant}};

}  // namespace

std::span<const KernelRow> determinant_rows() { return rows; }

}  // namespace belay::backend::cpu
