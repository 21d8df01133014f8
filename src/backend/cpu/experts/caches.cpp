// SPDX-License-Identifier: Apache-2.0
// Rows that go into caches of keys and values, and come out: ScatterPaKvCache, GatherPaKvCache, InplaceScatterUpdate.
#include <algorithm>
#include <cstring>

#include "backend/cpu/arguments.h"
#include "backend/cpu/experts/latent_cache.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"

namespace belay::backend::cpu {
namespace {

// Where the rows of a cache in blocks lie: pieces of `piece` elements, `step` elements apart; row r of block b begins
// at b * block + r * row.
struct Blocks {
  int64_t count = 0, size = 0, width = 0, piece = 0, step = 0, block = 0, row = 0;
  size_t bytes = 0;  // of an element

  void visit(int64_t slot, std::byte* memory, std::byte* dense, bool in) const {
    std::byte* at = memory + static_cast<size_t>(slot / size * block + slot % size * row) * bytes;
    for (int64_t p = 0; p < width / piece; ++p) {
      std::byte* mine = at + static_cast<size_t>(p * step) * bytes;
      std::byte* other = dense + static_cast<size_t>(p * piece) * bytes;
      in ? std::memcpy(mine, other, static_cast<size_t>(piece) * bytes)
         : std::memcpy(other, mine, static_cast<size_t>(piece) * bytes);
    }
  }
};

// A cache for rows of `heads` heads of `head` components.
Result<Blocks> blocks_of(const std::string& what, const graph::TensorInfo& cache, const std::string& mode,
                         const std::string& scatter, int64_t heads, int64_t head) {
  Blocks made;
  made.bytes = TRY(element_bytes(cache.type));
  made.width = heads * head;
  const Shape& shape = cache.shape;
  const auto wrong = [&] {
    return refuse(formatted("{} has shape {}, which does not fit rows of {} heads of {}", what, graph::to_text(shape),
                            heads, head));
  };
  if (shape.size() < 3 || graph::element_count(shape) == 0 || made.width == 0) return wrong();
  made.count = shape[0];
  if (mode == "PA_NZ") {
    const int64_t slice = shape.back();
    made.size = shape.end()[-2], made.piece = slice, made.row = slice, made.step = made.size * slice;
    if (slice == 0 || made.width % slice != 0) return wrong();
  } else if (scatter == "NHSD") {
    if (shape.size() != 4 || shape[1] != heads || shape[3] != head) return wrong();
    made.size = shape[2], made.piece = head, made.row = head, made.step = made.size * head;
  } else {
    made.size = shape[1], made.piece = made.width, made.row = made.width, made.step = 0;
  }
  made.block = made.size * made.width;
  if (graph::element_count(shape) != made.count * made.block) return wrong();
  return made;
}

Status check_modes(const std::string& mode, const std::string& scatter) {
  if (mode != "" && mode != "Norm" && mode != "PA_NZ")
    return refuse(formatted("cacheMode \"{}\" is not supported; \"Norm\" and \"PA_NZ\" are", mode));
  if (scatter != "" && scatter != "None" && scatter != "NHSD")
    return refuse(formatted("scatterMode \"{}\" is not supported; \"None\" and \"NHSD\" are", scatter));
  return {};
}

Result<Blocks> blocks_for(const WholeCall& call, const std::string& rows, const std::string& cache,
                          const std::string& mode, const std::string& scatter) {
  const auto &row = call.info(call.even_empty(rows)), &blocks = call.info(call.even_empty(cache));
  if (row.type != blocks.type)
    return refuse(formatted("{} is {} and its cache {}", rows, graph::name_of(row.type), graph::name_of(blocks.type)));
  if (row.shape.size() != 3 && row.shape.size() != 2)
    return refuse(formatted("{} must be [tokens, heads, size]", rows));
  const bool flat = row.shape.size() == 2;
  return blocks_of(cache, blocks, mode, scatter, flat ? 1 : row.shape[1], row.shape.back());
}

MadeKernel make_scatter_cache(const KernelRequest& request) {
  const WholeCall call(request);
  const std::string mode = call.text("mode"), scatter = call.text("scatter");
  TRY(check_modes(mode, scatter));
  TRY(call.absent({"compressLens", "compressSeqOffset", "seqLens"}));
  const int slots = call.even_empty("slots");
  struct Side {
    int rows, cache, output;
    Blocks blocks;
  };
  std::vector<Side> sides;
  std::vector<std::pair<size_t, size_t>> shared;
  const int64_t tokens = graph::element_count(call.info(slots).shape);
  for (size_t side = 0; side < 2; ++side) {
    const std::string rows = side ? "value" : "key", cache = rows + "Cache";
    const int given = call.even_empty(rows), output = call.output(side);
    if (given < 0 || output < 0) continue;
    const int from = call.even_empty(cache);
    shared.emplace_back(output, from);
    if (call.info(given).shape.empty()) continue;
    auto blocks = TRY(blocks_for(call, rows, cache, mode, scatter));
    Side made{given, from, output, std::move(blocks)};
    if (call.info(given).shape[0] != tokens)
      return refuse(formatted("{} has {} rows; slotMapping has {} elements", rows, call.info(given).shape[0], tokens));
    sides.push_back(made);
  }
  return whole_kernel(shared, [=](Inputs in, Outputs out) -> Status {
    for (const auto& [output, input] : shared) copy_unless_same(in[input], out[output]);
    const auto places = TRY(integers(in[static_cast<size_t>(slots)]));
    for (const Side& side : sides) {
      const Blocks& blocks = side.blocks;
      auto* dense = in[static_cast<size_t>(side.rows)].as<std::byte>();
      for (size_t t = 0; t < places.size(); ++t) {
        if (places[t] < 0) continue;
        if (places[t] >= blocks.count * blocks.size)
          return failed("ScatterPaKvCache",
                        formatted("slotMapping names slot {}; there are {}", places[t], blocks.count * blocks.size));
        blocks.visit(places[t], out[static_cast<size_t>(side.output)].as<std::byte>(),
                     dense + t * static_cast<size_t>(blocks.width) * blocks.bytes, true);
      }
    }
    return {};
  });
}

MadeKernel make_gather_cache(const KernelRequest& request) {
  const WholeCall call(request);
  const std::string mode = call.text("mode");
  TRY(check_modes(mode, ""));
  const Blocks keys = TRY(blocks_for(call, "key", "keyCache", mode, "")),
               values = TRY(blocks_for(call, "value", "valueCache", mode, ""));
  const int key_cache = call.even_empty("keyCache"), value_cache = call.even_empty("valueCache"),
            table = call.even_empty("table"), lengths = call.even_empty("lengths"), offset = call.input("offset"),
            key = call.even_empty("key"), value = call.even_empty("value");
  const bool sums = call.flag("cumulative");
  const Shape& shape = call.info(table).shape;
  if (shape.size() != 2 || graph::element_count(call.info(lengths).shape) != shape[0] + (sums ? 1 : 0))
    return refuse(formatted("blockTables has shape {}, seqLens {}", graph::to_text(shape),
                            graph::to_text(call.info(lengths).shape)));
  if (offset >= 0 && graph::element_count(call.info(offset).shape) != shape[0])
    return refuse(formatted("seqOffset must have {} elements", shape[0]));
  if (keys.size != values.size) return refuse("keyCache and valueCache must have blocks of one size");
  const int64_t room = std::min(call.info(key).shape[0], call.info(value).shape[0]);
  return whole_kernel(
      {{0, static_cast<size_t>(key)}, {1, static_cast<size_t>(value)}}, [=](Inputs in, Outputs out) -> Status {
        copy_unless_same(in[static_cast<size_t>(key)], out[0]);
        copy_unless_same(in[static_cast<size_t>(value)], out[1]);
        const auto blocks = TRY(integers(in[static_cast<size_t>(table)])),
                   given = TRY(integers(in[static_cast<size_t>(lengths)]));
        const auto shifts = offset < 0 ? std::vector<int64_t>{} : TRY(integers(in[static_cast<size_t>(offset)]));
        int64_t row = 0;
        for (int64_t b = 0; b < shape[0]; ++b) {
          const int64_t count =
              sums ? given[static_cast<size_t>(b + 1)] - given[static_cast<size_t>(b)] : given[static_cast<size_t>(b)];
          const int64_t first = shifts.empty() ? 0 : shifts[static_cast<size_t>(b)] / keys.size;
          for (int64_t t = 0; t < count; ++t, ++row) {
            const int64_t column = first + t / keys.size;
            const int64_t block =
                column >= 0 && column < shape[1] ? blocks[static_cast<size_t>(b * shape[1] + column)] : -1;
            if (block < 0 || block >= std::min(keys.count, values.count) || row >= room)
              return failed("GatherPaKvCache",
                            formatted("token {} of sequence {} is in no block, or there is no room for it", t, b));
            const int64_t slot = block * keys.size + t % keys.size;
            keys.visit(slot, in[static_cast<size_t>(key_cache)].as<std::byte>(),
                       out[0].as<std::byte>() + static_cast<size_t>(row * keys.width) * keys.bytes, false);
            values.visit(slot, in[static_cast<size_t>(value_cache)].as<std::byte>(),
                         out[1].as<std::byte>() + static_cast<size_t>(row * values.width) * values.bytes, false);
          }
        }
        return {};
      });
}

// Of each batch, updates go to the offset that indices has, along the axis. Batches are tensors, or one tensor's first
// dimension.
MadeKernel make_scatter_batches(const KernelRequest& request) {
  const WholeCall call(request);
  const auto data = call.inputs("data");
  const int indices = call.even_empty("indices"), updates = call.even_empty("updates"), mask = call.input("mask");
  const std::string reduce = call.text("reduce");
  if (reduce != "" && reduce != "update")
    return refuse(formatted("reduce \"{}\" is not supported; \"update\" is", reduce));
  const bool list = call.flag("list");
  const Shape to = call.info(static_cast<int>(data[0])).shape, from = call.info(updates).shape;
  Shape one = to;
  if (!list && !one.empty()) one.erase(one.begin());
  const int64_t batches = list ? static_cast<int64_t>(data.size()) : to.empty() ? 0 : to[0];
  if (one.empty() || from.size() != one.size() + 1 || from[0] != batches)
    return refuse(
        formatted("updates {} do not fit {} batches of {}", graph::to_text(from), batches, graph::to_text(one)));
  int64_t axis = call.integer("axis");
  if (axis < 0) axis += static_cast<int64_t>(list ? one.size() : to.size());
  if (!list) --axis;
  if (axis < 0 || axis >= static_cast<int64_t>(one.size())) return refuse("axis is outside of a batch's dimensions");
  const auto a = static_cast<size_t>(axis);
  for (size_t d = 0; d < one.size(); ++d)
    if (d != a ? from[d + 1] != one[d] : from[d + 1] > one[d])
      return refuse(
          formatted("updates {} do not fit {} batches of {}", graph::to_text(from), batches, graph::to_text(one)));
  const DataType type = call.info(updates).type;
  for (const size_t each : data)
    if (const auto& info = call.info(static_cast<int>(each)); list && (info.shape != to || info.type != type))
      return refuse("the tensors of varRef must have one shape, and updates' type");
  if (graph::element_count(call.info(indices).shape) != batches)
    return refuse(formatted("indices must have {} elements", batches));
  if (mask >= 0 &&
      (graph::element_count(call.info(mask).shape) != batches || TRY(element_bytes(call.info(mask).type)) != 1))
    return refuse(formatted("mask must have {} elements of one byte", batches));
  const size_t bytes = TRY(element_bytes(call.info(updates).type));
  if (call.info(updates).type != call.info(static_cast<int>(data[0])).type)
    return refuse("updates must have the type of what they go into");
  const int64_t outer = product(one, 0, a), inner = product(one, a + 1, one.size()), room = one[a], count = from[a + 1];
  std::vector<std::pair<size_t, size_t>> shared;
  for (size_t i = 0; i < data.size(); ++i) shared.emplace_back(i, data[i]);
  return whole_kernel(shared, [=](Inputs in, Outputs out) -> Status {
    for (const auto& [output, input] : shared) copy_unless_same(in[input], out[output]);
    const auto places = TRY(integers(in[static_cast<size_t>(indices)]));
    for (int64_t b = 0; b < batches; ++b) {
      if (mask >= 0 && in[static_cast<size_t>(mask)].as<uint8_t>()[b] == 0) continue;
      const int64_t place = places[static_cast<size_t>(b)];
      if (place < 0 || place > room - count)
        return failed("ScatterUpdate",
                      formatted("index {} of batch {} with {} updates does not fit {}", place, b, count, room));
      auto* to = out[list ? static_cast<size_t>(b) : 0].as<std::byte>() +
                 static_cast<size_t>(list ? 0 : b * outer * room * inner) * bytes;
      const auto* source =
          in[static_cast<size_t>(updates)].as<std::byte>() + static_cast<size_t>(b * outer * count * inner) * bytes;
      for (int64_t o = 0; o < outer; ++o)
        std::memcpy(to + static_cast<size_t>((o * room + place) * inner) * bytes,
                    source + static_cast<size_t>(o * count * inner) * bytes,
                    static_cast<size_t>(count * inner) * bytes);
    }
    return {};
  });
}

constexpr KernelRow rows[] = {
    {"AclnnGatherPaKvCache", "reference", make_gather_cache},
    {"AclnnLatentCache", "reference", make_latent_cache},
    {"AclnnScatterBatches", "reference", make_scatter_batches},
    {"AclnnScatterPaKvCache", "reference", make_scatter_cache},
};

}  // namespace

std::span<const KernelRow> cache_rows() { return rows; }

}  // namespace belay::backend::cpu
