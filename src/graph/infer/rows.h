// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "graph/infer/infer.h"

namespace belay::graph {

// The shape rules of each family, in infer_<family>.cpp. A family is used once it stands in the list of infer.cpp.
std::span<const InferRow> infer_rows_elementwise();
std::span<const InferRow> infer_rows_shape();
std::span<const InferRow> infer_rows_reduce();
std::span<const InferRow> infer_rows_nn();      // convolution, pooling, matrix products, norms, softmax
std::span<const InferRow> infer_rows_gather();  // and scatter
std::span<const InferRow> infer_rows_join();    // concat, split, pack
std::span<const InferRow> infer_rows_slice();   // slice, pad, tile, reverse
std::span<const InferRow> infer_rows_select();  // top-k, sort, non-zero, unique, diagonals
std::span<const InferRow> infer_rows_resize();
std::span<const InferRow> infer_rows_recurrent();  // LSTM, GRU
std::span<const InferRow> infer_rows_quant();
std::span<const InferRow> infer_rows_vision();
std::span<const InferRow> infer_rows_collective();  // Hcom...
std::span<const InferRow> infer_rows_special();     // what belongs to none of these

}  // namespace belay::graph
