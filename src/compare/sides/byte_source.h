// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compare/element_source.h"

namespace belay::compare {

// Elements that lie in memory in the order of the shape. `owner` keeps the bytes alive.
Result<std::shared_ptr<const ElementSource>> make_byte_source(graph::DataType type, graph::Shape shape,
                                                              graph::Format format, std::span<const std::byte> bytes,
                                                              std::shared_ptr<const void> owner);

}  // namespace belay::compare
