// SPDX-License-Identifier: Apache-2.0
// The inner product layer of models that came from Caffe: each row of x with each row of w.
#include "backend/cpu/arguments.h"
#include "backend/cpu/convert_element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

MadeKernel make_full_connection(const KernelRequest& request) {
  const Shape &x = request.inputs[0].shape, &w = request.inputs[1].shape;
  const auto axis = static_cast<size_t>(graph::int_of(request.node, "axis", 1));
  const int64_t outputs = graph::int_of(request.node, "num_output", 0);
  if (axis > x.size() || w.empty()) return refuse("axis lies outside x");
  if (request.inputs.size() > 3 && request.inputs[3].present) return refuse("offset_w is not supported");
  const int64_t rows = product(x, 0, axis), length = product(x, axis, x.size());
  const bool transposed = graph::flag_of(request.node, "transpose", false);
  const Shape wanted = transposed ? Shape{length, outputs} : Shape{outputs, length};
  const Shape have = transposed ? Shape{product(w, 0, w.size() - 1), w.back()} : Shape{w[0], product(w, 1, w.size())};
  if (have != wanted) return refuse("w has the wrong shape");
  const bool bias = request.inputs.size() > 2 && request.inputs[2].present;
  if (bias && graph::element_count(request.inputs[2].shape) != outputs) return refuse("b has the wrong shape");
  for (const auto& input : request.inputs)
    if (input.present && input.type != request.inputs[0].type) return refuse("all inputs must have one type");
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      const int64_t row_step = transposed ? 1 : length, step = transposed ? outputs : 1;
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t o = 0; o < outputs; ++o) {
          double sum = bias ? static_cast<double>(compute_t<T>(in[2].as<T>()[o])) : 0;
          for (int64_t k = 0; k < length; ++k)
            sum += static_cast<double>(compute_t<T>(in[0].as<T>()[i * length + k])) *
                   static_cast<double>(compute_t<T>(in[1].as<T>()[o * row_step + k * step]));
          out[0].as<T>()[i * outputs + o] = convert_element<T>(sum);
        }
      return {};
    });
  });
}

constexpr KernelRow rows[] = {{"FullyConnection", "reference", make_full_connection}};

}  // namespace

std::span<const KernelRow> full_connection_rows() { return rows; }

}  // namespace belay::backend::cpu
