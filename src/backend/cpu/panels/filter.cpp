// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/panels/filter.h"

#include "backend/cpu/broadcast.h"
#include "backend/cpu/panels/product.h"
#include "backend/cpu/parallel.h"
#include "base/text.h"

namespace belay::backend::cpu::panels {

Status check_convolution(const KernelRequest& request, const Chain& chain, const graph::Convolution& c) {
  if (request.outputs[0].type != DataType::Float) return refuse("only float");
  for (const size_t port : {c.x, c.filter, c.bias})
    if (input_at(chain, port) >= 0 && chain.infos[port].type != DataType::Float) return refuse("only float");
  if (input_at(chain, c.offset) >= 0) return refuse("offset_w is not supported");
  if (c.groups != 1 || c.window.rank() != 2) return refuse("only one group and two dimensions");
  if (c.input_channels % lane_step != 0 || c.output_channels % lane_step != 0)
    return refuse("channels are not multiples of 16");
  if (!chain.infos[c.filter].value) return refuse("the filter is not constant");
  if (graph::element_count(request.outputs[0].shape) == 0 || graph::element_count(chain.infos[c.x].shape) == 0)
    return refuse("an empty tensor");
  return {};
}

int input_at(const Chain& chain, size_t port) {
  return port < chain.infos.size() && chain.infos[port].present ? chain.ports[port] : -1;
}

Result<PackedWeights> pack_filter(const std::string& form, const graph::Convolution& c, const graph::TensorInfo& filter,
                                  int64_t count, PackPanel pack) {
  const Shape strides = row_major_strides(filter.shape);
  const auto& space = c.filter_axes.spatial;
  const Filter view = {c.output_channels,
                       c.input_channels,
                       filter.shape[space[0]],
                       filter.shape[space[1]],
                       reinterpret_cast<const float*>(filter.value->bytes.data()),
                       strides[c.filter_axes.output],
                       strides[c.filter_axes.input],
                       strides[space[0]],
                       strides[space[1]]};
  const std::string key = formatted("{} {} {} {} {} {} {} {} {}", form, view.outputs, view.inputs, view.height,
                                    view.width, view.along_output, view.along_input, view.along_y, view.along_x);
  return pack_as(key, view.data, filter.value->bytes.size(), static_cast<size_t>(count) * sizeof(float),
                 [&](void* to) -> Status {
                   const int64_t panels = (view.outputs + panel_width - 1) / panel_width;
                   parallel_for(panels, 1, [&](int64_t begin, int64_t end) {
                     for (int64_t p = begin; p < end; ++p) pack(view, p * panel_width, static_cast<float*>(to));
                   });
                   return {};
                 });
}

}  // namespace belay::backend::cpu::panels
