// SPDX-License-Identifier: Apache-2.0
#include "graph/infer/convolution.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "backend/wide_product.h"
#include "base/threads/parallel.h"
#include "exact/products/sum.h"
#include "exact/products/tiles.h"

namespace belay::exact {
namespace {

using graph::Shape;
using Triple = std::array<int64_t, 3>;

Shape strides_of(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

Triple spatial(const std::vector<int64_t>& values, int64_t fallback) {
  Triple made = {fallback, fallback, fallback};
  for (size_t i = 0; i < values.size(); ++i) made[3 - values.size() + i] = values[i];
  return made;
}

struct Steps {
  int64_t batch, channel;
  Triple space;
};

Steps steps_of(const Shape& shape, const graph::TensorAxes& axes) {
  const Shape strides = strides_of(shape);
  Steps steps{strides[axes.batch], strides[axes.channel], {0, 0, 0}};
  for (size_t i = 0; i < axes.spatial.size(); ++i) steps.space[3 - axes.spatial.size() + i] = strides[axes.spatial[i]];
  return steps;
}

// A term of the sums: where it is in the window, and in the filter.
struct Term {
  int64_t channel;  // of the group
  Triple place;
  int64_t weight;
};

struct Plan {
  Plan(const graph::Convolution& c, const Shape& x_shape, const Shape& w_shape, const Shape& y_shape)
      : convolution(c),
        kernel(spatial(c.window.kernel, 1)),
        stride(spatial(c.window.stride, 1)),
        dilation(spatial(c.window.dilation, 1)),
        pad(spatial(c.window.pad_begin, 0)),
        input(spatial(c.transposed ? c.window.output : c.window.input, 1)),
        output(spatial(c.transposed ? c.window.input : c.window.output, 1)),
        x(steps_of(x_shape, c.axes)),
        y(steps_of(y_shape, c.axes)) {
    const Shape strides = strides_of(w_shape);
    filter_output = strides[c.filter_axes.output];
    filter_input = strides[c.filter_axes.input];
    multiplier = w_shape[c.filter_axes.output];
    for (size_t i = 0; i < c.filter_axes.spatial.size(); ++i)
      filter_space[3 - c.filter_axes.spatial.size() + i] = strides[c.filter_axes.spatial[i]];
    add_terms();
  }

  int64_t in_group() const { return convolution.input_channels / convolution.groups; }
  int64_t out_group() const { return convolution.output_channels / convolution.groups; }
  int64_t places() const { return output[0] * output[1] * output[2]; }
  // Terms that are not zeros between the places of a transposed convolution.
  double real_terms() const {
    double count = static_cast<double>(in_group());
    for (size_t i = 0; i < 3; ++i)
      count *= static_cast<double>(convolution.transposed ? (kernel[i] + stride[i] - 1) / stride[i] : kernel[i]);
    return count;
  }
  // Where the filter of an output channel begins.
  int64_t filter_at(int64_t channel) const {
    if (convolution.transposed)
      return channel / out_group() * in_group() * filter_output + channel % out_group() * filter_input;
    return convolution.depthwise_filter ? channel / multiplier * filter_input + channel % multiplier * filter_output
                                        : channel * filter_output;
  }

  graph::Convolution convolution;
  Triple kernel, stride, dilation, pad, input, output;
  Steps x, y;
  int64_t filter_output, filter_input, multiplier;
  Triple filter_space{0, 0, 0};
  std::vector<Term> terms;

 private:
  // Some channels of one place of the window follow one another, as they do wherever a kernel keeps them together.
  void add_terms() {
    for (int64_t first = 0; first < in_group(); first += backend::wide_block)
      for (int64_t k = 0; k < kernel[0] * kernel[1] * kernel[2]; ++k) {
        const Triple place = {k / (kernel[1] * kernel[2]), k / kernel[2] % kernel[1], k % kernel[2]};
        int64_t weight = 0;
        for (size_t i = 0; i < 3; ++i) weight += place[i] * filter_space[i];
        for (int64_t c = first; c < std::min(first + backend::wide_block, in_group()); ++c)
          terms.push_back({c, place, weight + c * (convolution.transposed ? filter_output : filter_input)});
      }
  }
};

backend::PackSide filters(const Plan& plan, const double* w, int64_t group) {
  return [&plan, w, group](int64_t first, int64_t count, int64_t from, int64_t until, double* to) {
    for (int64_t i = 0; i < count; ++i) {
      const bool inside = first + i < plan.out_group();
      const double* filter = w + (inside ? plan.filter_at(group * plan.out_group() + first + i) : 0);
      for (int64_t k = from; k < until; ++k)
        to[(k - from) * count + i] = inside ? filter[plan.terms[static_cast<size_t>(k)].weight] : 0;
    }
  };
}

// Neighbouring outputs in one row.
struct Run {
  int64_t first, count;  // in the panel
  Triple corner;         // of the first one's window
};

std::vector<Run> runs_of(const Plan& plan, int64_t first, int64_t count) {
  std::vector<Run> runs;
  for (int64_t i = 0; i < count;) {
    const int64_t at = first + i, column = at % plan.output[2];
    const Triple place = {at / (plan.output[1] * plan.output[2]), at / plan.output[2] % plan.output[1], column};
    Run run{i, std::min(count - i, plan.output[2] - column), {}};
    for (size_t d = 0; d < 3; ++d)
      run.corner[d] = plan.convolution.transposed ? place[d] + plan.pad[d] : place[d] * plan.stride[d] - plan.pad[d];
    runs.push_back(run);
    i += run.count;
  }
  return runs;
}

// The place of x that an output reads in one dimension; -1 when there is none.
int64_t source(const Plan& plan, size_t d, int64_t corner, int64_t window) {
  if (!plan.convolution.transposed) {
    const int64_t at = corner + window * plan.dilation[d];
    return at < plan.input[d] ? std::max<int64_t>(at, -1) : -1;
  }
  const int64_t moved = corner - window * plan.dilation[d], at = moved / plan.stride[d];
  return moved >= 0 && moved % plan.stride[d] == 0 && at < plan.input[d] ? at : -1;
}

void pack_run(const Plan& plan, const Term& term, const Run& run, const double* plane, double* to) {
  const int64_t depth = source(plan, 0, run.corner[0], term.place[0]),
                row = source(plan, 1, run.corner[1], term.place[1]);
  if (depth < 0 || row < 0) {
    std::fill_n(to, run.count, 0.0);
    return;
  }
  const double* line = plane + depth * plan.x.space[0] + row * plan.x.space[1];
  const int64_t column = run.corner[2] + term.place[2] * plan.dilation[2];
  const bool simple = !plan.convolution.transposed && plan.stride[2] == 1 && plan.x.space[2] == 1;
  if (simple && column >= 0 && column + run.count <= plan.input[2]) {
    std::copy_n(line + column, run.count, to);
    return;
  }
  const int64_t step = plan.convolution.transposed ? 1 : plan.stride[2];
  for (int64_t i = 0; i < run.count; ++i) {
    const int64_t at = source(plan, 2, run.corner[2] + i * step, term.place[2]);
    to[i] = at >= 0 ? line[at * plan.x.space[2]] : 0;
  }
}

backend::PackSide windows(const Plan& plan, const double* x) {
  return [&plan, x](int64_t first, int64_t count, int64_t from, int64_t until, double* to) {
    const int64_t inside = std::clamp<int64_t>(plan.places() - first, 0, count);
    const auto runs = runs_of(plan, first, inside);
    for (int64_t k = from; k < until; ++k) {
      const Term& term = plan.terms[static_cast<size_t>(k)];
      double* row = to + (k - from) * count;
      for (const Run& run : runs) pack_run(plan, term, run, x + term.channel * plan.x.channel, row + run.first);
      std::fill(row + inside, row + count, 0.0);
    }
  };
}

// The results of one group of one image, in the places that they have in y.
struct Target {
  double *y, *units;
};

void finish(const Plan& plan, const Target& target, int64_t group, const std::vector<double>& sums,
            const std::vector<double>& partial, const backend::SideSize& left, const backend::SideSize& right,
            const double* bias) {
  const int64_t places = plan.places();
  const double terms = plan.real_terms();
  parallel_for(plan.out_group(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      const int64_t channel = group * plan.out_group() + o;
      for (int64_t p = 0; p < places; ++p) {
        const auto e = static_cast<size_t>(o * places + p);
        const int64_t at = channel * plan.y.channel + p / (plan.output[1] * plan.output[2]) * plan.y.space[0] +
                           p / plan.output[2] % plan.output[1] * plan.y.space[1] + p % plan.output[2] * plan.y.space[2];
        target.y[at] = sums[e] + (bias ? bias[channel] : 0);
        if (!target.units) continue;
        const auto row = static_cast<size_t>(o), column = static_cast<size_t>(p);
        const double added = bias ? std::fabs(bias[channel]) : 0;
        target.units[at] = (partial[e] + left.blocks[row] * right.blocks[column] + added) *
                           roundings(terms, std::min(left.repeats[row], right.repeats[column]));
      }
    }
  });
}

// Whether kernels may go by way of Winograd's transformed tiles.
bool may_use_tiles(const Plan& plan) {
  return plan.kernel == Triple{1, 3, 3} && plan.stride == Triple{1, 1, 1} && plan.dilation == Triple{1, 1, 1} &&
         plan.convolution.groups == 1 && !plan.convolution.transposed;
}

std::vector<FilterSize> sizes_of(const Plan& plan, const double* w) {
  std::vector<FilterSize> sizes(static_cast<size_t>(plan.convolution.output_channels));
  std::vector<double> channels(static_cast<size_t>(plan.in_group()));
  for (size_t o = 0; o < sizes.size(); ++o) {
    std::ranges::fill(channels, 0.0);
    for (const Term& term : plan.terms)
      channels[static_cast<size_t>(term.channel)] +=
          std::fabs(w[plan.filter_at(static_cast<int64_t>(o)) + term.weight]);
    for (const double own : channels) sizes[o].sum += own, sizes[o].share = std::max(sizes[o].share, own);
  }
  return sizes;
}

}  // namespace

Result<std::optional<Sums>> sum_convolution(const graph::Node& node, std::span<const Value> inputs, const Shape& output,
                                            bool units) {
  std::vector<graph::Constant> constants(inputs.size());
  std::vector<graph::TensorInfo> infos;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].present)
      constants[i] = {inputs[i].type, inputs[i].shape, graph::Format::ND, *inputs[i].bytes, inputs[i].bytes};
    infos.push_back({inputs[i].type, inputs[i].shape, inputs[i].present ? &constants[i] : nullptr, inputs[i].present});
  }
  const graph::InferContext context(node, infos);
  graph::Convolution c = TRY(graph::read_convolution(context));
  for (size_t i = 0; c.transposed && i < c.axes.spatial.size(); ++i) c.window.input[i] = output[c.axes.spatial[i]];
  if (c.offset < inputs.size() && inputs[c.offset].present) return std::optional<Sums>();
  const Plan plan(c, inputs[c.x].shape, inputs[c.filter].shape, output);
  const bool biased = c.bias < inputs.size() && inputs[c.bias].present;
  const double *x = inputs[c.x].doubles().data(), *w = inputs[c.filter].doubles().data();
  const double* bias = biased ? inputs[c.bias].doubles().data() : nullptr;
  std::vector<double> y(static_cast<size_t>(graph::element_count(output))), made(units ? y.size() : 0);
  const int64_t places = plan.places();
  std::vector<double> sums(static_cast<size_t>(plan.out_group() * places)), partial(units ? sums.size() : 0);
  for (int64_t n = 0; n < c.batch; ++n)
    for (int64_t group = 0; group < c.groups; ++group) {
      const double* image = x + n * plan.x.batch + group * plan.in_group() * plan.x.channel;
      backend::SideSize left, right;
      backend::multiply_wide({plan.out_group(), places, static_cast<int64_t>(plan.terms.size()),
                              filters(plan, w, group), windows(plan, image)},
                             {sums.data(), units ? partial.data() : nullptr, &left, &right});
      const Target target{y.data() + n * plan.y.batch, units ? made.data() + n * plan.y.batch : nullptr};
      finish(plan, target, group, sums, partial, left, right, bias);
    }
  if (units && may_use_tiles(plan)) {
    const TileImage image{x,
                          {plan.x.batch, plan.x.channel, plan.x.space[1], plan.x.space[2]},
                          {c.batch, c.input_channels, plan.input[1], plan.input[2]},
                          {plan.pad[1], plan.pad[2]}};
    const TileResult result{made.data(),
                            {plan.y.batch, plan.y.channel, plan.y.space[1], plan.y.space[2]},
                            {c.batch, c.output_channels, plan.output[1], plan.output[2]}};
    const auto sizes = sizes_of(plan, w);
    add_tile_units(image, sizes, result);
  }
  return std::optional<Sums>({make_value(output, y), std::move(made)});
}

}  // namespace belay::exact
