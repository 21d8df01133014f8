// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/quant/grouped.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/arguments.h"
#include "backend/cpu/quant/exact_product.h"
#include "base/text.h"

namespace belay::backend::cpu {
namespace {

std::vector<size_t> with_elements(const WholeCall& call, const std::string& name) {
  std::vector<size_t> made = call.inputs(name);
  std::erase_if(made,
                [&](size_t input) { return graph::element_count(call.info(static_cast<int>(input)).shape) == 0; });
  return made;
}

}  // namespace

float activated(int64_t act, float x) {
  switch (act) {
    case 1:
      return std::max(x, 0.0f);
    case 2:
      return 0.5f * x * (1 + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
    case 3:
      return 0.5f * x * (1 + std::erf(x * 0.7071067812f));
    case 4:
      return x / (1 + std::exp(-1.702f * x));
    case 5:
      return x / (1 + std::exp(-x));
    default:
      return x;
  }
}

const float* Grouped::Numbers::of(int64_t group, int64_t count) const {
  if (lists.empty()) return nullptr;
  return lists.size() == 1 ? lists[0].data() + group * count : lists[static_cast<size_t>(group)].data();
}

Result<Grouped> Grouped::make(const KernelRequest& request) {
  const WholeCall call(request);
  Grouped made;
  made.label_ = label_of(request.node);
  made.x_ = call.inputs("x");
  made.weight_ = call.inputs("weight");
  made.bias_ = with_elements(call, "bias");
  made.scale_ = with_elements(call, "scale");
  made.offset_ = with_elements(call, "offset");
  made.anti_scale_ = with_elements(call, "antiquantScale");
  made.anti_offset_ = with_elements(call, "antiquantOffset");
  made.token_ = with_elements(call, "token");
  made.list_ = call.input("groupList");
  made.list_numbers_ = call.ints("groups");
  made.has_list_ = made.list_ >= 0 || call.has("groups");
  made.list_type_ = call.integer("list_type");
  made.group_type_ = call.integer("group_type", made.has_list_ ? 0 : -1);
  made.act_ = call.integer("act");
  made.x_turned_ = call.flag("x_turned");
  made.mixed_by_size_ = call.flag("mixed_by_size");
  if (made.list_type_ < 0 || made.list_type_ > 2) return refuse("groupListType must be 0, 1 or 2");
  if (made.act_ < 0 || made.act_ > 5) return refuse("actType must be from 0 to 5");
  if (made.group_type_ != -1 && made.group_type_ != 0 && made.group_type_ != 2)
    return refuse("groupType must be -1, 0 or 2");
  TRY(made.set_kind(call));
  TRY(made.set_sizes(call));
  return made;
}

Status Grouped::set_kind(const WholeCall& call) {
  using enum DataType;
  const DataType x = call.info(static_cast<int>(x_[0])).type, w = call.info(static_cast<int>(weight_[0])).type;
  for (const auto& [inputs, type] : {std::pair{&x_, x}, {&weight_, w}})
    for (const size_t each : *inputs)
      if (call.info(static_cast<int>(each)).type != type) return refuse("the tensors of a list must have one type");
  TRY(call.all_numbers({"bias", "scale", "offset", "antiquantScale", "antiquantOffset"}));
  TRY(call.all_real({"token"}));
  if (is_real(x) && w == x)
    kind_ = Kind::Plain;
  else if ((x == Float16 || x == BFloat16) && (w == Int8 || holds_int4(w)))
    kind_ = Kind::Weight;
  else if (x == Int8 && w == Int8)
    kind_ = Kind::Whole;
  else if (x == Int8 && holds_int4(w))
    kind_ = Kind::Mixed;
  else if (holds_int4(x) && holds_int4(w))
    kind_ = Kind::Small;
  else
    return refuse(formatted("x of {} and weight of {} do not go together", graph::name_of(x), graph::name_of(w)));
  if (kind_ == Kind::Weight && anti_scale_.empty()) return refuse("a weight of integers needs antiquantScale");
  if ((kind_ == Kind::Mixed || kind_ == Kind::Small) && scale_.empty()) return refuse("a weight of INT4 needs scale");
  if (kind_ == Kind::Mixed && !offset_.empty()) return refuse("INT8 with INT4 and an offset is not supported");
  if (kind_ != Kind::Plain && group_type_ == 2) return refuse("groupType 2 takes tensors that are not quantised");
  return {};
}

Status Grouped::set_sizes(const WholeCall& call) {
  const bool small_x = kind_ == Kind::Small,
             small_w = kind_ == Kind::Small || kind_ == Kind::Mixed || kind_ == Kind::Weight;
  for (const size_t input : x_) x_shapes_.push_back(shape_in_int4(call.info(static_cast<int>(input)), small_x));
  for (const size_t input : weight_)
    weight_shapes_.push_back(shape_in_int4(call.info(static_cast<int>(input)), small_w));
  const bool by_k = group_type_ == 2;
  for (const Shape& shape : x_shapes_)
    if (shape.size() < 2 || (shape.size() != 2 && group_type_ != -1))
      return refuse(formatted("x of shape {} must have 2 dimensions", graph::to_text(shape)));
  for (const Shape& shape : weight_shapes_)
    if (shape.size() != 2 && (shape.size() != 3 || weight_shapes_.size() != 1 || by_k))
      return refuse(
          formatted("weight of shape {} must have 2 dimensions, or 3 when there is one", graph::to_text(shape)));
  const bool single = weight_shapes_.size() == 1;
  experts_ = single ? (weight_shapes_[0].size() == 3 ? weight_shapes_[0][0] : 1) : static_cast<int64_t>(weight_.size());
  n_ = weight_shapes_[0].back();
  k_ = weight_shapes_[0].end()[-2];
  for (size_t i = 0; i < x_shapes_.size(); ++i) {
    const int64_t width = x_shapes_[i][x_turned_ ? 0 : x_shapes_[i].size() - 1];
    const int64_t needed = weight_shapes_[single ? 0 : std::min(i, weight_shapes_.size() - 1)].end()[-2];
    if (width != needed) return refuse(formatted("x of {} columns does not fit a weight of {} rows", width, needed));
    m_ += x_turned_ ? x_shapes_[i][1] : graph::element_count(x_shapes_[i]) / std::max<int64_t>(width, 1);
  }
  if (experts_ < 1) return refuse("weight has no group");
  if (!has_list_ && x_.size() == 1 && experts_ > 1) return refuse("groupList must not be null: x is one tensor");
  if (!has_list_ && x_.size() > 1 && static_cast<int64_t>(x_.size()) != experts_)
    return refuse(formatted("there are {} x and {} weights", x_.size(), experts_));
  if (has_list_ && x_.size() > 1 && static_cast<int64_t>(x_.size()) != experts_)
    return refuse(formatted("there are {} x and {} weights", x_.size(), experts_));
  if (list_ >= 0) {
    const auto& list = call.info(list_);
    const bool pairs = list_type_ == 2;
    if (list.shape.size() != (pairs ? 2u : 1u) || (pairs && list.shape[1] != 2))
      return refuse(
          formatted("groupList has shape {}; it must be {}", graph::to_text(list.shape), pairs ? "[n,2]" : "[n]"));
    if (list.shape[0] > experts_ && !by_k)
      return refuse(formatted("groupList has {} groups; there are {} weights", list.shape[0], experts_));
  } else if (has_list_ && static_cast<int64_t>(list_numbers_.size()) > experts_ && !by_k) {
    return refuse(formatted("groupList has {} groups; there are {} weights", list_numbers_.size(), experts_));
  }
  if (by_k && !bias_.empty()) return refuse("groupType 2 takes no bias");
  TRY(rows_in(call, "bias", bias_, false));
  whole_bias_ = !bias_.empty() && call.info(static_cast<int>(bias_[0])).type == DataType::Int32;
  if (whole_bias_ != (kind_ == Kind::Whole && whole_bias_))
    return refuse("a bias of INT32 goes with x and weight of INT8");
  const auto& scales = kind_ == Kind::Weight ? anti_scale_ : scale_;
  scale_rows_ = TRY(rows_in(call, kind_ == Kind::Weight ? "antiquantScale" : "scale", scales, kind_ != Kind::Whole));
  TRY(rows_in(call, "offset", offset_, false));
  if (!anti_offset_.empty() && TRY(rows_in(call, "antiquantOffset", anti_offset_, true)) != scale_rows_)
    return refuse("antiquantOffset must have as many elements as antiquantScale");
  if (!token_.empty() && graph::element_count(call.info(static_cast<int>(token_[0])).shape) != m_)
    return refuse(formatted("the scale of the tokens must have {} elements", m_));
  return {};
}

Result<int64_t> Grouped::rows_in(const WholeCall& call, const std::string& name, const std::vector<size_t>& inputs,
                                 bool grouped) const {
  if (inputs.empty()) return int64_t{1};
  const bool single = inputs.size() == 1;
  if (!single && static_cast<int64_t>(inputs.size()) != experts_)
    return refuse(formatted("{} has {} tensors; there are {} weights", name, inputs.size(), experts_));
  const DataType type = call.info(static_cast<int>(inputs[0])).type;
  int64_t rows = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto& info = call.info(static_cast<int>(inputs[i]));
    if (info.type != type) return refuse(formatted("the tensors of {} must have one type", name));
    const Shape& weight = weight_shapes_[own(weight_shapes_, static_cast<int64_t>(i))];
    const int64_t count = graph::element_count(info.shape), columns = single ? experts_ * n_ : weight.back();
    const int64_t mine = columns > 0 ? count / columns : 0;
    const bool fits = mine > 0 && mine * columns == count && (i == 0 || mine == rows) &&
                      (mine == 1 || (grouped && weight.end()[-2] % mine == 0));
    if (!fits)
      return refuse(formatted("{} has {} elements; {} weights of {} columns need as many", name, count,
                              single ? experts_ : 1, weight.back()));
    rows = mine;
  }
  for (const Shape& weight : weight_shapes_)
    if (single && weight.back() != n_)
      return refuse(formatted("{} is one tensor, but the weights have different columns", name));
  return rows;
}

Grouped::Numbers Grouped::read(Inputs in, const std::vector<size_t>& inputs, bool words) const {
  Numbers made;
  for (const size_t input : inputs) made.lists.push_back(words ? scale_numbers(in[input]) : all_floats(in[input]));
  return made;
}

Result<std::vector<Grouped::Group>> Grouped::groups(Inputs in) const {
  const int64_t all = group_type_ == 2 ? k_ : m_;
  std::vector<Group> made;
  if (!has_list_) {
    int64_t first = 0;
    for (size_t i = 0; i < x_.size(); ++i) {
      const int64_t count = graph::element_count(x_shapes_[i]) / std::max<int64_t>(x_shapes_[i].back(), 1);
      made.push_back({static_cast<int64_t>(i), first, count});
      first += count;
    }
    return made;
  }
  const auto numbers = list_ >= 0 ? TRY(integers(in[static_cast<size_t>(list_)])) : list_numbers_;
  const bool sizes = list_type_ == 1 || (kind_ == Kind::Mixed && mixed_by_size_);
  int64_t end = 0;
  for (size_t g = 0; g < numbers.size() / (list_type_ == 2 ? 2 : 1); ++g) {
    const int64_t number = numbers[list_type_ == 2 ? 2 * g + 1 : g];
    const int64_t count = sizes || list_type_ == 2 ? number : number - end;
    const int64_t weight = list_type_ == 2 ? numbers[2 * g] : static_cast<int64_t>(g);
    if (list_type_ == 2 && count == 0) break;
    const bool shared = group_type_ == 2 && weight_.size() == 1;  // groups are of its rows
    if (count < 0 || count > all - end || weight < 0 || (!shared && weight >= experts_))
      return failed(label_, formatted("groupList is {}; there are {} rows and {} weights", graph::to_text(numbers), all,
                                      experts_));
    made.push_back({weight, end, count});
    end += count;
  }
  return made;
}

Status Grouped::run(Inputs in, const Store& store) const {
  const auto all = TRY(groups(in));
  std::vector<std::vector<float>> x;
  for (const size_t input : x_) {
    x.push_back(all_floats(kind_ == Kind::Small ? as_int4(in[input]) : in[input]));
    if (kind_ == Kind::Mixed)
      for (float& each : x.back()) each -= 8;
  }
  const bool anti = kind_ == Kind::Weight;
  const Numbers bias = read(in, bias_, false), scale = read(in, anti ? anti_scale_ : scale_, true),
                offset = read(in, anti ? anti_offset_ : offset_, false), token = read(in, token_, false);
  std::vector<ScaledProduct> products;
  for (size_t g = 0; g < all.size(); ++g) {
    const Group& group = all[g];
    const bool own_x = x_.size() > 1, own_w = weight_.size() > 1;
    const size_t xi = own_x ? (has_list_ ? static_cast<size_t>(group.weight) : g) : 0;
    const size_t wi = own_w ? static_cast<size_t>(group.weight) : 0;
    const Shape &xs = x_shapes_[xi], &ws = weight_shapes_[wi];
    const bool by_k = group_type_ == 2;
    ScaledProduct p{.n = ws.back(), .k = ws.end()[-2], .x_turned = x_turned_, .w = in[weight_[wi]]};
    if (kind_ == Kind::Weight || kind_ == Kind::Mixed || kind_ == Kind::Small) p.w = as_int4(p.w);
    if (kind_ == Kind::Weight && in[weight_[wi]].type == DataType::Int8) p.w = in[weight_[wi]];
    p.w_step = p.n;
    p.x_step = xs.back();
    p.x = x[xi].data();
    if (by_k) {
      p.m = x_turned_ ? xs[1] : xs[0];
      if (!own_w) {
        p.k = group.count;
        p.w_first = group.first * p.n;
        p.x += x_turned_ ? group.first * p.x_step : group.first;
      }
    } else {
      p.m = group.count;
      p.w_first = own_w ? 0 : group.weight * p.k * p.n;
      if (!own_x) p.x += group.first * p.x_step;
    }
    p.whole = kind_ == Kind::Whole;
    const int64_t rows = scale_rows_, w = group.weight;
    const auto numbers = [&](const Numbers& from) -> WeightNumbers {
      return {from.of(w, rows * p.n), rows * p.n, rows > 1 ? p.k / rows : 0, p.n};
    };
    if (anti || kind_ == Kind::Mixed || kind_ == Kind::Small) p.scale = numbers(scale);
    if (anti) p.offset = numbers(offset);
    p.finish = [&, g, w, n = p.n](int64_t row, int64_t first, int64_t count, const float* sums, const int32_t* exact) {
      const Group& mine = all[g];
      const float *added = bias.of(w, n), *scales = scale.of(w, n), *tokens = token.of(0, 0);
      const float factor = tokens ? tokens[mine.first + row] : 1;
      std::vector<float> values(static_cast<size_t>(count));
      std::vector<int32_t> whole(exact ? static_cast<size_t>(count) : 0);
      for (int64_t c = 0; c < count; ++c) {
        const float extra = added ? added[first + c] : 0;
        float value = sums[c];
        if (exact) {
          whole[static_cast<size_t>(c)] =
              whole_bias_ ? wrapping_sum(exact[c], in[bias_[bias_.size() > 1 ? static_cast<size_t>(w) : 0]]
                                                       .as<int32_t>()[(bias_.size() > 1 ? 0 : w * n) + first + c])
                          : exact[c];
          value = static_cast<float>(whole[static_cast<size_t>(c)]) * (scales ? scales[first + c] : 1) * factor;
          if (!whole_bias_) value += extra;
        } else if (kind_ == Kind::Mixed || kind_ == Kind::Small) {
          value = (value + extra) * factor;
        } else {
          value += extra;
        }
        values[static_cast<size_t>(c)] = activated(act_, value);
      }
      store({g, row, mine.first + row, first, count, values.data(), exact ? whole.data() : nullptr});
    };
    products.push_back(std::move(p));
  }
  multiply(products);
  return {};
}

}  // namespace belay::backend::cpu
