// SPDX-License-Identifier: Apache-2.0
#include "inspect/magnitude.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "dump/format/record_reader.h"
#include "dump/format/types.h"
#include "graph/tensor/finite.h"
#include "inspect/describe.h"

namespace belay::inspect {
namespace {

double largest(double a, double b) { return std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b); }

// From statistics: maximum and minimum skip NaN, which has a count of its own. Nothing for a tensor that its writer
// could not measure ("NA").
Result<std::optional<Magnitude>> from_line(const TensorLine& line) {
  Magnitude made{.label = line.label, .type = line.type, .bytes = line.bytes};
  bool has_column = false, known = false;
  for (const auto& [name, value] : line.statistics) {
    if (name == "max" || name == "min") {
      has_column = true;
      if (value == "NA") continue;
      known = true;
      made.most = largest(made.most, std::abs(std::strtod(value.c_str(), nullptr)));
    }
    if (name == "nan" && parse_number(value).value_or(0) > 0) made.most = std::nan("");
  }
  if (has_column) return known ? std::optional(made) : std::nullopt;
  return Status{ACL_ERROR_INVALID_PARAM, "its statistics have no maximum and minimum; leave dump_stats out"};
}

Result<OperatorMagnitudes> from_tensors(const FoundDump& dump) {
  const dump::DumpFile file = TRY(dump::read_dump(dump.path));
  OperatorMagnitudes made{.dump = dump, .op_name = file.header.op_name.empty() ? dump.op_name : file.header.op_name};
  for (const DumpedTensor& tensor : tensors_of(file)) {
    const auto& entry = (tensor.input ? file.header.inputs : file.header.outputs)[tensor.index];
    const size_t bits = graph::bits_of(tensor.type);
    Magnitude one{.label = label_of(tensor),
                  .type = std::string(dump::type_name(graph::to_proto(tensor.type))),
                  .address = entry.address,
                  .bytes = entry.size};
    if (largest_finite(one.type))
      one.most = graph::largest_magnitude(tensor.type, tensor.bytes.data(), tensor.bytes.size() * 8 / bits);
    made.tensors.push_back(std::move(one));
  }
  return made;
}

}  // namespace

std::optional<double> largest_finite(const std::string& type) {
  if (type == "FLOAT16") return 65504.0;
  if (type == "BFLOAT16" || type == "BF16") return std::ldexp(255.0, 120);
  if (type == "FLOAT") return std::ldexp(16777215.0, 104);
  if (type == "DOUBLE") return std::ldexp(9007199254740991.0, 971);
  return {};
}

std::optional<double> headroom(const std::string& type, double most) {
  if (type == "FLOAT" || type == "DOUBLE" || !(most > 0) || !std::isfinite(most)) return {};
  const auto limit = largest_finite(type);
  if (!limit) return {};
  return std::log2(*limit) - std::log2(most);
}

bool OperatorMagnitudes::overflows() const {
  bool inputs = false, bad = false;
  for (const Magnitude& tensor : tensors) {
    if (tensor.input() && !std::isfinite(tensor.most)) return false;
    inputs |= tensor.input();
    bad |= !tensor.input() && !std::isfinite(tensor.most);
  }
  return inputs && bad;
}

Result<OperatorMagnitudes> read_magnitudes(const FoundDump& dump) {
  if (!dump.statistics) return from_tensors(dump);
  OperatorMagnitudes made{.dump = dump, .op_name = dump.op_name};
  for (const TensorLine& line : TRY(describe(dump, 0))) {
    if (!largest_finite(line.type)) continue;
    auto one = from_line(line);
    if (!one.ok()) return Status{one.status().code, formatted("{}: {}", dump.path.string(), one.status().message)};
    if (*one) made.tensors.push_back(**one);
  }
  return made;
}

}  // namespace belay::inspect
