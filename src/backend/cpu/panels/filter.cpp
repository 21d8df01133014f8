// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/panels/filter.h"

#include "backend/cpu/broadcast.h"
#include "backend/cpu/panels/product.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu::panels {

Status check_convolution(const KernelRequest& request, const Chain& chain, const graph::Convolution& c) {
  if (request.outputs[0].type != DataType::Float) return refuse("only float");
  for (const size_t port : {c.x, c.filter, c.bias})
    if (input_at(chain, port) >= 0 && chain.infos[port].type != DataType::Float) return refuse("only float");
  if (input_at(chain, c.offset) >= 0) return refuse("offset_w is not supported");
  if (c.transposed) return refuse("a transposed convolution");
  for (const auto* shape : {&chain.infos[c.x].shape, &chain.infos[c.filter].shape, &request.outputs[0].shape})
    if (graph::element_count(*shape) == 0) return refuse("an empty tensor");
  return {};
}

int input_at(const Chain& chain, size_t port) {
  return port < chain.infos.size() && chain.infos[port].present ? chain.ports[port] : -1;
}

Filter::Filter(const graph::Convolution& c, const Shape& shape, const void* elements)
    : groups(c.groups),
      outputs(c.output_channels / c.groups),
      inputs(c.input_channels / c.groups),
      size(Volume::filled(c.window.kernel, 1)),
      data(static_cast<const float*>(elements)) {
  const Shape strides = row_major_strides(shape);
  along_output = strides[c.filter_axes.output];
  along_input = strides[c.filter_axes.input];
  along_group = c.depthwise_filter ? along_input : outputs * along_output;
  std::vector<int64_t> steps;
  for (const size_t axis : c.filter_axes.spatial) steps.push_back(strides[axis]);
  along = Volume::filled(steps, 0);
}

void pack_panels(const Filter& filter, PackPanel pack, float* to) {
  const int64_t panels = (filter.outputs + panel_width - 1) / panel_width;
  constexpr int64_t grain = 1 << 14;  // elements that are worth a thread
  const int64_t elements =
      filter.inputs * filter.size[0] * filter.size[1] * filter.size[2] * width_at(0, filter.outputs);  // of a panel
  parallel_for(filter.groups * panels, std::max<int64_t>(1, grain / elements), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) pack(filter, p / panels, p % panels * panel_width, to);
  });
}

Result<PackedWeights> pack_filter(const std::string& form, const Filter& filter, int64_t count, PackPanel pack) {
  const Filter& f = filter;
  const int64_t given = f.groups * f.outputs * f.inputs * f.size[0] * f.size[1] * f.size[2];
  const std::string key =
      formatted("{} {} {} {} {} {} {} {} {} {} {} {} {}", form, f.groups, f.outputs, f.inputs, f.size[0], f.size[1],
                f.size[2], f.along_group, f.along_output, f.along_input, f.along[0], f.along[1], f.along[2]);
  return pack_as(key, f.data, static_cast<size_t>(given) * sizeof(float), static_cast<size_t>(count) * sizeof(float),
                 [&](void* to) -> Status {
                   pack_panels(f, pack, static_cast<float*>(to));
                   return {};
                 });
}

}  // namespace belay::backend::cpu::panels
