// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/status.h"
#include "compare/element_source.h"
#include "compare/sides/stored_source.h"
#include "exact/value.h"
#include "graph/model/graph.h"

namespace belay::blame {

using compare::Source;

struct Derivation;

// A tensor as the examined side had it, or why it is not known.
struct Held {
  Source source;                            // null: not known
  std::string missing;                      // then, a sentence that says why
  std::string origin;                       // "output 0 of conv1", "weight w"
  uint64_t time = 0;                        // when it was recorded; 0: not by an operator
  const graph::Constant* weight = nullptr;  // the model's own, when it is one
  bool present = true;                      // false: an optional input that is not connected

  std::shared_ptr<const Derivation> derived;  // of what was not recorded: how it is computed
  size_t derived_output = 0;

  bool known() const { return source || !present; }
};

// The graph's inputs that the user gave, by the names of the Data operators.
using GivenTensors = std::map<std::string, Source>;

// All elements as they are stored, borrowed from the source or from `storage`.
Result<std::span<const std::byte>> bytes_of(const compare::ElementSource& source, std::vector<std::byte>& storage);
// The same, made wide for computing.
Result<exact::Value> value_of(const compare::ElementSource& source);
Result<exact::Value> value_of(const Held& held);

// The other way round: elements in memory as a source.
Result<Source> source_of(graph::DataType type, graph::Shape shape, std::span<const std::byte> bytes,
                         std::shared_ptr<const void> owner);
Result<Source> source_of(const graph::Constant& constant);
Result<Source> source_of(const exact::Value& value, graph::DataType type);
// Whether the source is a tensor of this shape, as far as its file tells: what is in a private format without its
// original shape may be, and dimensions in an order of their own (NHWC) only have to be the same ones.
bool may_have_shape(const compare::ElementSource& source, const graph::Shape& shape);
// The same elements with another shape.
Result<Source> reshaped(const Source& source, graph::Shape shape);

}  // namespace belay::blame
