// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace belay::executor {

// Memory that one tensor needs: from the step that writes it to the last that reads it, both included.
struct Block {
  size_t bytes = 0;
  int first = 0, last = 0;
  size_t offset = 0;  // the plan's answer
};

// Gives every block an offset in one arena so that blocks whose lives meet do not overlap; the arena's size. Offsets
// are multiples of 64.
size_t plan_arena(std::span<Block> blocks);

// What no plan can be smaller than: the largest sum of blocks that live at the same step.
size_t least_arena(std::span<const Block> blocks);

}  // namespace belay::executor
