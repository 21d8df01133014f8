// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls that turn pairs of components: rotary embeddings in all their orders, and their gradients.
#include <cmath>
#include <cstring>

#include "backend/cpu/arguments.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/rowwise/pairs.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {

Result<Pairs> Pairs::of(int64_t mode, int64_t size) {
  const int64_t by = mode == 2 ? 4 : 2;
  if (mode < 0 || mode > 3) return refuse(formatted("mode is {}; it must be 0, 1, 2 or 3", mode));
  if (size % by != 0)
    return refuse(formatted("a rotation of mode {} needs a size that {} divides; it is {}", mode, by, size));
  Pairs made;
  const int64_t half = size / 2, quarter = size / 4;
  for (int64_t i = 0; i < size; ++i) {
    int64_t first = i, second = 0;
    float sign = 0;
    if (mode == 1) {
      second = i ^ 1, sign = i % 2 == 0 ? -1.0f : 1.0f;
    } else {
      const int64_t step = mode == 2 ? quarter : half, within = i % (2 * step);
      sign = within < step ? -1.0f : 1.0f;
      second = within < step ? i + step : i - step;
    }
    if (mode == 3) {  // even components to the front, odd ones to the back
      const auto sorted = [&](int64_t place) { return place < half ? 2 * place : 2 * (place - half) + 1; };
      first = sorted(first), second = sorted(second);
    }
    made.first.push_back(first);
    made.second.push_back(second);
    made.sign.push_back(sign);
  }
  return made;
}

Result<int64_t> Pairs::mode_named(const std::string& name) {
  if (name == "half" || name == "") return int64_t{0};
  if (name == "interleave") return int64_t{1};
  if (name == "quarter") return int64_t{2};
  return refuse(formatted("rotaryMode \"{}\" is not \"half\", \"interleave\" or \"quarter\"", name));
}

namespace {

// Which row of cos and sin belongs to each row of x: their leading dimensions broadcast. Steps of the leading
// dimensions, 0 where there is one for all.
struct Broadcast {
  Shape outer, steps;

  static Result<Broadcast> of(const Shape& x, const Shape& angles) {
    const auto wrong = [&] {
      return refuse(formatted("cos and sin of shape {} do not fit x of {}", graph::to_text(angles), graph::to_text(x)));
    };
    if (x.empty() || angles.empty() || angles.size() > x.size()) return wrong();
    Broadcast made{{x.begin(), x.end() - 1}, Shape(x.size() - 1)};
    int64_t step = 1;
    const size_t missing = x.size() - angles.size();
    for (size_t d = x.size() - 1; d-- > missing; step *= angles[d - missing]) {
      const int64_t size = angles[d - missing];
      if (size != x[d] && size != 1) return wrong();
      made.steps[d] = size == 1 ? 0 : step;
    }
    return made;
  }
  int64_t row(int64_t r) const {
    int64_t at = 0;
    for (size_t d = outer.size(); d-- > 0; r /= outer[d]) at += r % outer[d] * steps[d];
    return at;
  }
};

struct Rotary {
  Pairs pairs;
  Broadcast rows;
  int x, cos, sin, rotate;
  int64_t count, width, turned;  // the first of the components are turned

  Status run(Inputs in, Outputs out) const {
    const auto cosines = all_floats(in[static_cast<size_t>(cos)]), sines = all_floats(in[static_cast<size_t>(sin)]),
               matrix = all_floats(tensor_at(in, rotate));
    parallel_for(count, std::max<int64_t>(1, 8192 / std::max<int64_t>(width, 1)), [&](int64_t begin, int64_t end) {
      std::vector<float> row(static_cast<size_t>(width)), made(static_cast<size_t>(turned));
      for (int64_t r = begin; r < end; ++r) {
        read_floats(in[static_cast<size_t>(x)], r * width, width, row.data());
        const int64_t at = rows.row(r) * turned;
        float* part = row.data();
        for (int64_t i = 0; i < turned; ++i) {
          const auto c = static_cast<size_t>(i);
          float other = 0;
          if (matrix.empty())
            other = pairs.sign[c] * part[pairs.second[c]];
          else
            for (int64_t k = 0; k < turned; ++k) other += part[k] * matrix[static_cast<size_t>(k * turned + i)];
          made[c] = part[matrix.empty() ? pairs.first[c] : i] * cosines[static_cast<size_t>(at + i)] +
                    other * sines[static_cast<size_t>(at + i)];
        }
        std::copy(made.begin(), made.end(), part);
        write_floats(row.data(), width, out[0], r * width);
      }
    });
    return {};
  }
};

MadeKernel make_rotary(const KernelRequest& request) {
  const WholeCall call(request);
  Rotary op{};
  op.x = call.even_empty("x"), op.cos = call.even_empty("cos"), op.sin = call.even_empty("sin");
  op.rotate = call.input("rotate");
  const auto &x = call.info(op.x), &cos = call.info(op.cos), &sin = call.info(op.sin), &y = call.result(0);
  if (!is_real(x.type) || y.type != x.type || !is_real(cos.type) || !is_real(sin.type))
    return refuse(formatted("x of {}, cos of {} and a result of {} are not supported", graph::name_of(x.type),
                            graph::name_of(cos.type), graph::name_of(y.type)));
  TRY(call.all_real({"rotate"}));
  if (cos.shape != sin.shape)
    return refuse(formatted("cos has shape {}, sin {}", graph::to_text(cos.shape), graph::to_text(sin.shape)));
  if (y.shape != x.shape)
    return refuse(formatted("the result has shape {}, x {}", graph::to_text(y.shape), graph::to_text(x.shape)));
  op.rows = TRY(Broadcast::of(x.shape, cos.shape));
  op.width = x.shape.back(), op.turned = cos.shape.back();
  op.count = op.width == 0 ? 0 : graph::element_count(x.shape) / op.width;
  if (op.turned > op.width || (!call.flag("partly") && op.turned != op.width))
    return refuse(formatted("cos has {} components, x {}", op.turned, op.width));
  const int64_t mode = call.has("mode_name") ? TRY(Pairs::mode_named(call.text("mode_name"))) : call.integer("mode");
  if (op.rotate < 0)
    op.pairs = TRY(Pairs::of(mode, op.turned));
  else if (call.info(op.rotate).shape != Shape{op.turned, op.turned})
    return refuse(formatted("rotate must be [{},{}]", op.turned, op.turned));
  return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

// The gradients of x, and with x those of cos and sin.
struct RotaryGrad {
  Pairs pairs;
  Broadcast rows;
  int dy, cos, sin, x;
  int dx, dcos, dsin;
  int64_t count, width;

  Status run(Inputs in, Outputs out) const {
    const auto cosines = all_floats(in[static_cast<size_t>(cos)]), sines = all_floats(in[static_cast<size_t>(sin)]);
    std::vector<float> g(static_cast<size_t>(width)), made(g), from(g);
    std::vector<double> cos_sum(cosines.size()), sin_sum(sines.size());
    for (int64_t r = 0; r < count; ++r) {
      read_floats(in[static_cast<size_t>(dy)], r * width, width, g.data());
      if (x >= 0) read_floats(in[static_cast<size_t>(x)], r * width, width, from.data());
      std::fill(made.begin(), made.end(), 0.0f);
      const auto at = static_cast<size_t>(rows.row(r) * width);
      for (size_t i = 0; i < g.size(); ++i) {
        const auto first = static_cast<size_t>(pairs.first[i]), second = static_cast<size_t>(pairs.second[i]);
        made[first] += g[i] * cosines[at + i];
        made[second] += pairs.sign[i] * g[i] * sines[at + i];
        cos_sum[at + i] += static_cast<double>(g[i]) * from[first];
        sin_sum[at + i] += static_cast<double>(g[i]) * pairs.sign[i] * from[second];
      }
      write_floats(made.data(), width, out[static_cast<size_t>(dx)], r * width);
    }
    for (const auto& [output, sums] : {std::pair{dcos, &cos_sum}, {dsin, &sin_sum}}) {
      if (output < 0 || x < 0) continue;
      const std::vector<float> all(sums->begin(), sums->end());
      write_floats(all.data(), static_cast<int64_t>(all.size()), out[static_cast<size_t>(output)], 0);
    }
    return {};
  }
};

MadeKernel make_rotary_grad(const KernelRequest& request) {
  const WholeCall call(request);
  RotaryGrad op{};
  op.dy = call.even_empty("dy"), op.cos = call.even_empty("cos"), op.sin = call.even_empty("sin");
  op.x = call.input("x"), op.dx = call.output(0), op.dcos = call.output(1), op.dsin = call.output(2);
  const auto &dy = call.info(op.dy), &cos = call.info(op.cos), &dx = call.result(op.dx);
  TRY(call.all_real({"sin", "x"}));
  op.rows = TRY(Broadcast::of(dy.shape, cos.shape));
  op.width = dy.shape.back();
  op.count = op.width == 0 ? 0 : graph::element_count(dy.shape) / op.width;
  if (!is_real(dy.type) || !is_real(cos.type) || dx.type != dy.type || dx.shape != dy.shape ||
      cos.shape.back() != op.width || call.info(op.sin).shape != cos.shape)
    return refuse("dy, dx, cos and sin do not fit");
  if (op.x >= 0 && call.info(op.x).shape != dy.shape) return refuse("x must have dy's shape");
  for (const int each : {op.dcos, op.dsin})
    if (op.x >= 0 && each >= 0 && (call.result(each).shape != cos.shape || !is_real(call.result(each).type)))
      return refuse("dcos and dsin must have cos' shape");
  op.pairs = TRY(Pairs::of(call.integer("mode"), op.width));
  return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

// Heads turned by the rows of a table of cosines and sines.
struct CachedRotary {
  int positions, table, tables_rows;
  int64_t tokens, head, turned;
  std::vector<int> row_of;  // of positions, for each pair
  bool neox;
  struct Side {
    int from, to;
    int64_t heads;
  };
  std::vector<Side> sides;

  Status run(Inputs in, Outputs out) const {
    const auto places = TRY(integers(in[static_cast<size_t>(positions)]));
    const auto angles = all_floats(in[static_cast<size_t>(table)]);
    const int64_t half = turned / 2;
    std::vector<float> cosines(static_cast<size_t>(half)), sines(cosines);
    for (int64_t t = 0; t < tokens; ++t) {
      for (int64_t i = 0; i < half; ++i) {
        const int64_t place = places[static_cast<size_t>(row_of[static_cast<size_t>(i)] * tokens + t)];
        if (place < 0 || place >= tables_rows)
          return failed(
              "RopeWithSinCosCache",
              formatted("position {} of token {} is outside of the {} rows of cosSinCache", place, t, tables_rows));
        cosines[static_cast<size_t>(i)] = angles[static_cast<size_t>(place * turned + i)];
        sines[static_cast<size_t>(i)] = angles[static_cast<size_t>(place * turned + half + i)];
      }
      for (const Side& side : sides) {
        std::vector<float> row(static_cast<size_t>(side.heads * head));
        const auto size = static_cast<int64_t>(row.size());
        read_floats(in[static_cast<size_t>(side.from)], t * size, size, row.data());
        for (int64_t h = 0; h < side.heads; ++h)
          for (int64_t i = 0; i < half; ++i) {
            float& a = row[static_cast<size_t>(h * head + (neox ? i : 2 * i))];
            float& b = row[static_cast<size_t>(h * head + (neox ? half + i : 2 * i + 1))];
            const float c = cosines[static_cast<size_t>(i)], s = sines[static_cast<size_t>(i)], x = a;
            a = x * c - b * s;
            b = b * c + x * s;
          }
        write_floats(row.data(), size, out[static_cast<size_t>(side.to)], t * size);
      }
    }
    return {};
  }
};

// The row of positions for each of the pairs: sections one after another, or in turn.
Result<std::vector<int>> sections(const std::vector<int64_t>& sizes, int64_t rows, int64_t half, bool turns) {
  std::vector<int> made(static_cast<size_t>(half), 0);
  if (rows == 1) return made;
  if (static_cast<int64_t>(sizes.size()) != rows)
    return refuse(formatted("mropeSection has {} elements; positions has {} rows", sizes.size(), rows));
  int64_t end = 0, section = 0;
  for (int64_t i = 0; i < half; ++i) {
    if (turns) {
      const int64_t row = i % 3;
      made[static_cast<size_t>(i)] = row > 0 && i < 3 * sizes[static_cast<size_t>(row)] ? static_cast<int>(row) : 0;
      continue;
    }
    while (section < rows - 1 && i >= end + sizes[static_cast<size_t>(section)])
      end += sizes[static_cast<size_t>(section++)];
    made[static_cast<size_t>(i)] = static_cast<int>(section);
  }
  return made;
}

MadeKernel make_cached_rotary(const KernelRequest& request) {
  const WholeCall call(request);
  CachedRotary op{};
  op.positions = call.even_empty("positions"), op.table = call.even_empty("table");
  const auto &positions = call.info(op.positions), &table = call.info(op.table);
  op.head = call.integer("head"), op.neox = call.flag("neox");
  if (positions.shape.empty() || positions.shape.size() > 2 || table.shape.size() != 2 || !is_real(table.type))
    return refuse("positions must be [tokens] or [rows, tokens], and cosSinCache [positions, rotaryDim]");
  op.tokens = positions.shape.back(), op.tables_rows = static_cast<int>(table.shape[0]), op.turned = table.shape[1];
  if (op.head <= 0 || op.turned > op.head || op.turned % 2 != 0)
    return refuse(formatted("cosSinCache has {} columns; heads have {} components", op.turned, op.head));
  const int64_t kinds = positions.shape.size() == 2 ? positions.shape[0] : 1;
  op.row_of = TRY(sections(call.ints("sections"), kinds, op.turned / 2, call.integer("cache_mode") == 1));
  for (size_t side = 0; side < 2; ++side) {
    const int from = call.even_empty(side ? "key" : "query"), to = call.output(side);
    const auto &x = call.info(from), &y = call.result(to);
    const int64_t width = op.tokens == 0 ? 0 : graph::element_count(x.shape) / op.tokens;
    if (!is_real(x.type) || y.type != x.type || graph::element_count(y.shape) != graph::element_count(x.shape) ||
        width * op.tokens != graph::element_count(x.shape) || width % op.head != 0)
      return refuse(formatted("{} of shape {} does not fit {} tokens with heads of {}", side ? "keyIn" : "queryIn",
                              graph::to_text(x.shape), op.tokens, op.head));
    op.sides.push_back({from, to, width / op.head});
  }
  return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

constexpr KernelRow rows[] = {
    {"AclnnCachedRotary", "reference", make_cached_rotary},
    {"AclnnRotary", "reference", make_rotary},
    {"AclnnRotaryGrad", "reference", make_rotary_grad},
};

}  // namespace

std::span<const KernelRow> aclnn_rotary_rows() { return rows; }

}  // namespace belay::backend::cpu
