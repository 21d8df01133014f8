// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/rowwise/words.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "backend/cpu/rowwise/whole_row.h"
#include "base/text.h"

namespace belay::backend::cpu {

MadeKernel make_scale_words(const KernelRequest& request) {
  const WholeCall call(request);
  const int scale = call.even_empty("scale"), offset = call.input("offset");
  const auto &s = call.info(scale), &y = call.result(0);
  const int64_t scales = graph::element_count(s.shape);
  const int64_t offsets = offset < 0 ? 1 : graph::element_count(call.info(offset).shape);
  const int64_t count = std::max(scales, offsets);
  const int64_t mode = call.integer("mode");
  if (mode != 0 && mode != 1) return refuse(formatted("roundMode is {}; it must be 0 or 1", mode));
  if (s.type != DataType::Float || (offset >= 0 && call.info(offset).type != DataType::Float))
    return refuse("scale and offset must be FLOAT");
  if (scales == 0 || (scales != count && scales != 1) || (offsets != count && offsets != 1))
    return refuse(formatted("scale has {} elements and offset {}; they must be as many, or one", scales, offsets));
  if ((y.type != DataType::UInt64 && y.type != DataType::Int64) || graph::element_count(y.shape) != count)
    return refuse(formatted("out is {} {}; it must be UINT64 or INT64 with {} elements", graph::name_of(y.type),
                            graph::to_text(y.shape), count));
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    for (int64_t i = 0; i < count; ++i) {
      auto bits = std::bit_cast<uint32_t>(in[static_cast<size_t>(scale)].as<float>()[scales == 1 ? 0 : i]);
      if (mode == 1) bits += 0xFFF + (bits >> 13 & 1);  // to the nearest of the 19 high bits, ties to even
      uint64_t word = (bits & 0xFFFFE000U) | uint64_t{1} << 46;
      if (offset >= 0) {
        const float given = in[static_cast<size_t>(offset)].as<float>()[offsets == 1 ? 0 : i];
        const auto whole = static_cast<int64_t>(std::clamp(nearest_whole(given), -256.0f, 255.0f));
        word = (word & 0x4000FFFFFFFFULL) | (static_cast<uint64_t>(whole) & 0x1FF) << 37;
      }
      out[0].as<uint64_t>()[i] = word;
    }
    return {};
  });
}

MadeKernel make_int4_pack(const KernelRequest& request) {
  const WholeCall call(request);
  const auto &x = call.info(call.even_empty("weight")), &y = call.result(0);
  Shape shape = y.shape;
  if (y.type == DataType::Int32 && !shape.empty()) shape.back() *= 8;
  if (x.type != DataType::Int32 || x.shape.size() < 2 || x.shape.size() > 3 || shape != x.shape ||
      (y.type != DataType::Int32 && y.type != DataType::Int4))
    return refuse(formatted("weight {} {} and weightInt4Pack {} {} do not fit", graph::name_of(x.type),
                            graph::to_text(x.shape), graph::name_of(y.type), graph::to_text(y.shape)));
  if (x.shape.back() % 2 != 0) return refuse("the last dimension must be even");
  const int64_t count = graph::element_count(x.shape);
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    auto* bytes = out[0].as<uint8_t>();
    const int32_t* from = in[0].as<int32_t>();
    for (int64_t i = 0; i < count; i += 2)
      bytes[i / 2] = static_cast<uint8_t>((from[i] & 15) | (from[i + 1] & 15) << 4);
    return {};
  });
}

MadeKernel make_dequant_bias(const KernelRequest& request) {
  const WholeCall call(request);
  const int x = call.even_empty("x"), weight = call.input("weight"), token = call.input("token"),
            bias = call.input("bias");
  const auto &info = call.info(x), &y = call.result(0);
  if (info.type != DataType::Int32 || info.shape.size() != 2) return refuse("x must be INT32 [M,N]");
  const int64_t m = info.shape[0], n = info.shape[1];
  if (y.shape != info.shape || (y.type != DataType::Float16 && y.type != DataType::BFloat16))
    return refuse(formatted("out is {} {}; it must be FLOAT16 or BF16 with x's shape", graph::name_of(y.type),
                            graph::to_text(y.shape)));
  if (const int64_t type = call.integer("type", -1); type >= 0 && static_cast<DataType>(type) != y.type)
    return refuse(formatted("outputDtype is {}, but out is {}", type, graph::name_of(y.type)));
  if (weight < 0) return refuse("weightScale must have elements");
  TRY(check_numbers(call, "weight", {n}));
  TRY(check_numbers(call, "token", {m}));
  TRY(check_numbers(call, "bias", {n}));
  const bool whole = bias >= 0 && call.info(bias).type == DataType::Int32;
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const auto weights = all_floats(tensor_at(in, weight)), tokens = all_floats(tensor_at(in, token)),
               added = all_floats(tensor_at(in, bias));
    std::vector<float> row(static_cast<size_t>(n));
    for (int64_t r = 0; r < m; ++r) {
      for (int64_t c = 0; c < n; ++c) {
        const auto at = static_cast<size_t>(c);
        int64_t sum = in[static_cast<size_t>(x)].as<int32_t>()[r * n + c];
        if (whole) sum += in[static_cast<size_t>(bias)].as<int32_t>()[c];
        row[at] = static_cast<float>(sum) * weights[at] * (tokens.empty() ? 1 : tokens[static_cast<size_t>(r)]);
        if (!whole && !added.empty()) row[at] += added[at];
      }
      write_floats(row.data(), n, out[0], r * n);
    }
    return {};
  });
}

}  // namespace belay::backend::cpu
