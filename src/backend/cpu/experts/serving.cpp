// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls of engines that serve many sequences: a step of each of them, adapters of low rank by row, and
// tokens that other ranks sent.
#include "backend/cpu/arguments.h"
#include "backend/cpu/move/copy_picked.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

// The sampled token is the next input, at the place behind the sequence, which becomes longer by it; the slot of that
// place follows from the table of blocks. What is behind the first `queries` sequences stays.
MadeKernel make_advance_step(const KernelRequest& request) {
  const WholeCall call(request);
  const int sampled = call.even_empty("sampled"), table = call.even_empty("blocks"), given = call.even_empty("lengths");
  const int64_t queries = call.integer("queries"), seqs = call.integer("seqs"), block = call.integer("block");
  const Shape shape = call.info(table).shape;
  for (const auto& info : request.inputs)
    if (info.type != DataType::Int64) return refuse(formatted("{} is not INT64", graph::name_of(info.type)));
  if (block <= 0 || queries <= 0 || seqs < queries)
    return refuse(formatted("numSeqs {}, numQueries {} and blockSize {} do not fit", seqs, queries, block));
  if (shape.size() != 2 || shape[0] < queries || graph::element_count(call.info(sampled).shape) < queries)
    return refuse(formatted("blockTables {} and sampledTokenIds {} do not have {} rows", graph::to_text(shape),
                            graph::to_text(call.info(sampled).shape), queries));
  for (int o = 0; o < 4; ++o)
    if (call.result(o).type != DataType::Int64 || graph::element_count(call.result(o).shape) < seqs)
      return refuse(formatted("a tensor of {} {} has no room for {} sequences of INT64",
                              graph::name_of(call.result(o).type), graph::to_text(call.result(o).shape), seqs));
  const auto lengths_in = static_cast<size_t>(given);
  return whole_kernel({{2, lengths_in}}, [=](Inputs in, Outputs out) -> Status {
    copy_unless_same(in[lengths_in], out[2]);
    auto *tokens = out[0].as<int64_t>(), *places = out[1].as<int64_t>(), *lengths = out[2].as<int64_t>(),
         *slots = out[3].as<int64_t>();
    for (int64_t i = 0; i < queries; ++i) {
      const int64_t place = lengths[i];
      if (place < 0 || place / block >= shape[1])
        return failed("AdvanceStep", formatted("place {} of sequence {} is in none of its {} blocks of {}", place, i,
                                               shape[1], block));
      tokens[i] = in[static_cast<size_t>(sampled)].as<int64_t>()[i];
      places[i] = place;
      lengths[i] = place + 1;
      slots[i] = in[static_cast<size_t>(table)].as<int64_t>()[i * shape[1] + place / block] * block + place % block;
    }
    return {};
  });
}

// Columns [offset, offset + size) of each row of y grow by scale * (x * A^T) * B^T, with the row's own A and B; without
// A by scale * x * B^T. A row whose index is negative has none.
struct LowRank {
  int y, x, a, b, indices;
  int64_t rows, width, in_width, rank, size, offset, layer, layers, adapters;
  float scale;

  Status run(Inputs in, Outputs out) const {
    const auto at = [&](int input) -> const Tensor& { return in[static_cast<size_t>(input)]; };
    const auto picks = TRY(integers(at(indices)));
    for (size_t r = 0; r < picks.size(); ++r)
      if (picks[r] >= adapters)
        return failed("AddLora", formatted("index {} of row {} is outside of the {} weights", picks[r], r, adapters));
    parallel_for(rows, 1, [&](int64_t begin, int64_t end) {
      std::vector<float> line(static_cast<size_t>(width)), from(static_cast<size_t>(in_width));
      for (int64_t r = begin; r < end; ++r) {
        read_floats(at(y), r * width, width, line.data());
        if (const int64_t pick = picks[static_cast<size_t>(r)]; pick >= 0) {
          const int64_t matrix = pick * layers + layer;
          read_floats(at(x), r * in_width, in_width, from.data());
          const auto low = a < 0 ? from : products(at(a), matrix, rank, from);
          const auto made = products(at(b), matrix, size, low);
          for (int64_t j = 0; j < size; ++j)
            line[static_cast<size_t>(offset + j)] += scale * made[static_cast<size_t>(j)];
        }
        write_floats(line.data(), width, out[0], r * width);
      }
    });
    return {};
  }

 private:
  // A matrix of `count` rows, of several that follow one another, times a column.
  static std::vector<float> products(const Tensor& matrices, int64_t matrix, int64_t count,
                                     const std::vector<float>& column) {
    const auto length = static_cast<int64_t>(column.size());
    std::vector<float> made(static_cast<size_t>(count)), row(column.size());
    for (int64_t j = 0; j < count; ++j) {
      read_floats(matrices, (matrix * count + j) * length, length, row.data());
      double sum = 0;
      for (size_t k = 0; k < row.size(); ++k) sum += static_cast<double>(row[k]) * static_cast<double>(column[k]);
      made[static_cast<size_t>(j)] = static_cast<float>(sum);
    }
    return made;
  }
};

MadeKernel make_low_rank(const KernelRequest& request) {
  const WholeCall call(request);
  LowRank op{};
  op.y = call.even_empty("y"), op.x = call.even_empty("x"), op.a = call.input("a"), op.b = call.even_empty("b");
  op.indices = call.even_empty("indices");
  TRY(call.all_real({"y", "x", "a", "b"}));
  const Shape &y = call.info(op.y).shape, &x = call.info(op.x).shape, &b = call.info(op.b).shape;
  const Shape a = op.a < 0 ? Shape() : call.info(op.a).shape;
  const auto refused = [&](const char* why) {
    return refuse(formatted("{}: y {}, x {}, weightA {}, weightB {}, indices {}", why, graph::to_text(y),
                            graph::to_text(x), graph::to_text(a), graph::to_text(b),
                            graph::to_text(call.info(op.indices).shape)));
  };
  if (y.size() != 2 || x.size() != 2 || b.size() != 4 || (op.a >= 0 && a.size() != 4))
    return refused("y and x must have 2 dimensions, the weights 4");
  op.rows = y[0], op.width = y[1], op.in_width = x[1];
  op.adapters = b[0], op.layers = b[1], op.size = b[2], op.rank = b[3];
  op.layer = call.integer("layer"), op.offset = call.integer("offset"),
  op.scale = static_cast<float>(call.real("scale"));
  if (x[0] != op.rows || call.info(op.indices).shape != Shape{op.rows}) return refused("the rows do not fit");
  if (op.a < 0 ? op.in_width != op.rank : a != Shape{op.adapters, op.layers, op.rank, op.in_width})
    return refused("the weights do not fit");
  if (call.integer("size") != op.size || op.offset < 0 || op.offset > op.width - op.size)
    return refuse(formatted("ySliceSize {} at yOffset {} does not fit y {} and weightB {}", call.integer("size"),
                            op.offset, graph::to_text(y), graph::to_text(b)));
  if (op.layer < 0 || op.layer >= op.layers)
    return refuse(formatted("layerIdx is {}, the weights have {} layers", op.layer, op.layers));
  const auto& out = call.result(0);
  if (out.shape != y || out.type != call.info(op.y).type) return refused("out must be like y");
  return whole_kernel({{0, static_cast<size_t>(op.y)}}, [op](Inputs in, Outputs outs) { return op.run(in, outs); });
}

// Tokens that came from several ranks, each rank's by expert, become by expert, each expert's by rank. With them go
// their scales; told are the place that each token had, and how many each expert has.
struct ReRouting {
  int tokens, counts, scales;
  int made, made_scales, places, totals;  // outputs
  int64_t rows, ranks, experts;
  size_t row_bytes, scale_bytes;

  Status run(Inputs in, Outputs out) const {
    const auto numbers = TRY(integers(in[static_cast<size_t>(counts)]));
    std::vector<int64_t> from;
    std::vector<int64_t> starts(numbers.size() + 1);
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] < 0 || numbers[i] > rows - starts[i])
        return failed("MoeReRouting",
                      formatted("tokens has {} rows; the counts add up to more, or are negative", rows));
      starts[i + 1] = starts[i] + numbers[i];
    }
    if (starts.back() != rows)
      return failed("MoeReRouting", formatted("tokens has {} rows; the counts add up to {}", rows, starts.back()));
    for (int64_t e = 0; e < experts; ++e) {
      const auto before = static_cast<int64_t>(from.size());
      for (int64_t r = 0; r < ranks; ++r) {
        const auto pair = static_cast<size_t>(r * experts + e);
        for (int64_t row = starts[pair]; row < starts[pair + 1]; ++row) from.push_back(row);
      }
      Tensor& total = out[static_cast<size_t>(totals)];
      const int64_t count = static_cast<int64_t>(from.size()) - before;
      if (total.type == DataType::Int32)
        total.as<int32_t>()[e] = static_cast<int32_t>(count);
      else
        total.as<int64_t>()[e] = count;
    }
    for (size_t i = 0; i < from.size(); ++i)
      out[static_cast<size_t>(places)].as<int32_t>()[i] = static_cast<int32_t>(from[i]);
    const auto move = [&](int input, int output, size_t bytes) {
      if (input < 0 || output < 0 || bytes == 0) return;
      copy_picked(bytes, rows, out[static_cast<size_t>(output)].as<std::byte>(),
                  in[static_cast<size_t>(input)].as<std::byte>(),
                  [&](int64_t r) { return from[static_cast<size_t>(r)]; });
    };
    move(tokens, made, row_bytes);
    move(scales, made_scales, scale_bytes);
    return {};
  }
};

MadeKernel make_re_routing(const KernelRequest& request) {
  const WholeCall call(request);
  ReRouting op{};
  op.tokens = call.even_empty("tokens"), op.counts = call.even_empty("counts"), op.scales = call.even_empty("scales");
  op.made = call.output(0), op.made_scales = call.output(1), op.places = call.output(2), op.totals = call.output(3);
  const auto &tokens = call.info(op.tokens), &counts = call.info(op.counts);
  if (call.integer("count_type") != 1) return refuse("expertTokenNumType must be 1, counts");
  if (call.integer("index_type") != 0) return refuse("idxType must be 0");
  if (tokens.shape.empty() || counts.shape.size() != 2 ||
      (counts.type != DataType::Int32 && counts.type != DataType::Int64))
    return refuse(formatted("expertTokenNumPerRank is {} {}; it must be INT32 or INT64 [ranks,experts]",
                            graph::name_of(counts.type), graph::to_text(counts.shape)));
  op.rows = tokens.shape[0], op.ranks = counts.shape[0], op.experts = counts.shape[1];
  op.row_bytes = TRY(element_bytes(tokens.type)) * static_cast<size_t>(product(tokens.shape, 1, tokens.shape.size()));
  const auto alike = [&](int output, const graph::TensorInfo& like, const char* name) -> Status {
    const auto& info = call.result(output);
    if (info.type == like.type && info.shape == like.shape) return {};
    return refuse(formatted("{} is {} {}; it must be {} {}", name, graph::name_of(info.type),
                            graph::to_text(info.shape), graph::name_of(like.type), graph::to_text(like.shape)));
  };
  TRY(alike(op.made, tokens, "permuteTokensOut"));
  TRY(alike(op.places, {DataType::Int32, {op.rows}}, "permuteTokenIdxOut"));
  TRY(alike(op.totals, {counts.type, {op.experts}}, "expertTokenNumOut"));
  if (op.scales < 0) return function_kernel([op](Inputs in, Outputs out) { return op.run(in, out); });
  const auto& scales = call.info(op.scales);
  if (scales.shape.empty() || scales.shape[0] != op.rows)
    return refuse(formatted("perTokenScales is {} for {} tokens", graph::to_text(scales.shape), op.rows));
  if (op.made_scales < 0) return refuse("permutePerTokenScalesOut is needed with perTokenScales");
  TRY(alike(op.made_scales, scales, "permutePerTokenScalesOut"));
  op.scale_bytes = TRY(element_bytes(scales.type)) * static_cast<size_t>(product(scales.shape, 1, scales.shape.size()));
  return function_kernel([op](Inputs in, Outputs out) { return op.run(in, out); });
}

constexpr KernelRow kRows[] = {
    {"AclnnAdvanceStep", "reference", make_advance_step},
    {"AclnnLowRank", "reference", make_low_rank},
    {"AclnnReRouting", "reference", make_re_routing},
};

}  // namespace

std::span<const KernelRow> serving_rows() { return kRows; }

}  // namespace belay::backend::cpu
