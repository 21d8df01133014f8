// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "base/status.h"

namespace belay::convert {

class NodeContext;

// Adds what an ONNX node becomes. An error is the reason why it cannot be converted.
using MapFunction = Status (*)(NodeContext& context);

// The newest opsets whose operators were all looked through; a model with a newer one is refused. Those of ONNX itself
// differ from 21 on in the types they allow, and in: DequantizeLinear and QuantizeLinear (23: output_dtype, precision),
// Attention, RMSNormalization, RotaryEmbedding (new in 23), Swish, TensorScatter (new in 24), Attention (24: lengths of
// the keys), Cast (24: round_mode of 8-bit exponents).
constexpr int64_t newest_onnx = 24, newest_other = 1;

constexpr int latest = 1 << 20;

// One ONNX operator in a range of opsets. A row without a function is a rename: the GE operator takes the inputs as
// they are.
struct MapRow {
  std::string_view op;
  int first, last;  // opsets, both included
  std::string_view ge;
  MapFunction map = nullptr;
  std::string_view domain = "";
  bool takes_collections = false;  // sequences and optionals may be its inputs
};

// Null when no row has the operator at that opset.
const MapRow* find_mapping(std::string_view domain, std::string_view op, int64_t opset);
// Why there is none: the operator is unknown, or known at other opsets only.
std::string why_unmapped(std::string_view domain, std::string_view op, int64_t opset);

// The rows of each family, in map_<family>.cpp; mapping.cpp has the list of families.
std::span<const MapRow> map_rows_elementwise();
std::span<const MapRow> map_rows_activation();
std::span<const MapRow> map_rows_shape();
std::span<const MapRow> map_rows_move();
std::span<const MapRow> map_rows_reduce();
std::span<const MapRow> map_rows_conv();
std::span<const MapRow> map_rows_pool();
std::span<const MapRow> map_rows_norm();
std::span<const MapRow> map_rows_matmul();
std::span<const MapRow> map_rows_recurrent();
std::span<const MapRow> map_rows_vision();
std::span<const MapRow> map_rows_quant();
std::span<const MapRow> map_rows_loss();
std::span<const MapRow> map_rows_sequence();
std::span<const MapRow> map_rows_signal();
std::span<const MapRow> map_rows_random();
std::span<const MapRow> map_rows_control();
std::span<const MapRow> map_rows_loop();
std::span<const MapRow> map_rows_attention();
std::span<const MapRow> map_rows_collective();

}  // namespace belay::convert
