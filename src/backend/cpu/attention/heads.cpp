// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/attention/heads.h"

#include <algorithm>

#include "base/text.h"

namespace belay::backend::cpu::attention {
namespace {

size_t rank_of(const std::string& layout) { return layout == "BNSD" || layout == "BSND" || layout == "NBSD" ? 4 : 3; }

// Steps by the order of the dimensions: `order` has the letters B, N, S and T of the layout, D last.
Heads ordered(const std::string& order, const Shape& shape) {
  Heads made{.batches = 1, .size = shape.back()};
  int64_t step = shape.back();
  for (size_t i = order.size(); i-- > 0; step *= shape[i]) {
    if (order[i] == 'B') made.batches = shape[i], made.batch_step = step;
    if (order[i] == 'N') made.heads = shape[i], made.head_step = step;
    if (order[i] == 'S' || order[i] == 'T') made.rows = shape[i], made.row_step = step;
    made.joined |= order[i] == 'T';
  }
  return made;
}

}  // namespace

bool is_joined(const std::string& layout) { return layout == "TND" || layout == "NTD"; }

Result<Heads> heads_of(const std::string& what, const std::string& layout, const Shape& shape, int64_t heads,
                       int64_t size) {
  if (shape.size() != rank_of(layout))
    return refuse(formatted("{} has shape {}, but a tensor of layout {} has {} dimensions", what, graph::to_text(shape),
                            layout, rank_of(layout)));
  if (layout != "BSH" && layout != "SBH") return ordered(layout.substr(0, layout.size() - 1), shape);
  const int64_t width = shape.back(), count = heads > 0 ? heads : width / std::max<int64_t>(size, 1);
  if (count <= 0 || width % count != 0)
    return refuse(formatted("the {} columns of {} do not divide into heads", width, what));
  const bool batch_first = layout == "BSH";
  return ordered(batch_first ? "BSN" : "SBN", {shape[0], shape[1], count, width / count});
}

Shape shape_of(const std::string& layout, int64_t batches, int64_t heads, int64_t rows, int64_t size) {
  if (layout == "BSH") return {batches, rows, heads * size};
  if (layout == "SBH") return {rows, batches, heads * size};
  Shape made;
  for (const char dimension : layout)
    made.push_back(dimension == 'B' ? batches : dimension == 'N' ? heads : dimension == 'D' ? size : rows);
  return made;
}

Result<Layouts> layouts_named(const std::string& name, bool training) {
  const auto known = [&](std::initializer_list<std::string_view> names) { return std::ranges::count(names, name) > 0; };
  const size_t between = name.find('_');
  const Layouts made{name.substr(0, between), between == std::string::npos ? name : name.substr(between + 1)};
  if (training && known({"BSH", "SBH", "BSND", "BNSD", "TND"})) return made;
  if (!training && known({"BSH", "BSND", "BNSD", "TND", "NTD", "BNSD_BSND", "BSH_BNSD", "BSND_BNSD", "BSH_NBSD",
                          "BSND_NBSD", "BNSD_NBSD", "TND_NTD", "NTD_TND"}))
    return made;
  return refuse(formatted("inputLayout \"{}\" is not supported; {} are", name,
                          training ? "BSH, SBH, BSND, BNSD and TND"
                                   : "BSH, BSND, BNSD, TND, NTD, BNSD_BSND, BSH_BNSD, BSND_BNSD, BSH_NBSD, BSND_NBSD, "
                                     "BNSD_NBSD, TND_NTD and NTD_TND"));
}

}  // namespace belay::backend::cpu::attention
