// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls of engines that serve many sequences: a step of each of them, and adapters of low rank by row.
#include "backend/cpu/arguments.h"
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

constexpr KernelRow kRows[] = {
    {"AclnnAdvanceStep", "reference", make_advance_step},
    {"AclnnLowRank", "reference", make_low_rank},
};

}  // namespace

std::span<const KernelRow> serving_rows() { return kRows; }

}  // namespace belay::backend::cpu
