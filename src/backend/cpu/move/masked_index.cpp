// SPDX-License-Identifier: Apache-2.0
// Advanced indexing with masks among the indices: how many elements a mask selects only its values tell, so the results
// have the shapes that the caller gave, and a run that selects another number of elements fails.
#include <cstring>

#include "backend/cpu/arguments.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/move/copy_picked.h"
#include "backend/cpu/move/put_rows.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"

namespace belay::backend::cpu {
namespace {

// The indices of a tensor whose indexed dimensions stand first, in the order of these dimensions: integers of one shape
// [ahead..., last], each about one dimension, and masks, each about as many as it has. A mask stands for the places
// where it is true, which take the part of `last`.
struct MaskedIndices {
  struct Part {
    size_t input;
    bool mask;
    int64_t size;  // of the dimensions that it is about
  };
  std::string label;
  std::vector<Part> parts;
  int64_t ahead = 1, last = 1, inner = 1;

  // The rows that are meant, `ahead` times as many as `selected` becomes.
  Result<std::vector<int64_t>> rows(Inputs in, int64_t& selected) const {
    std::vector<std::vector<int64_t>> places;  // of each part
    selected = last;
    for (const Part& part : parts) {
      places.push_back(part.mask ? true_places(in[part.input]) : TRY(integers(in[part.input])));
      const auto count = static_cast<int64_t>(places.back().size());
      if (!part.mask || count == selected || count == 1) continue;
      if (selected != 1)
        return failed(label, formatted("a mask selects {} elements, which do not go with the {} of the other indices",
                                       count, selected));
      selected = count;
    }
    std::vector<int64_t> made(static_cast<size_t>(ahead * selected), 0);
    for (size_t p = 0; p < parts.size(); ++p) TRY(add_part(parts[p], places[p], selected, made));
    return made;
  }

 private:
  static std::vector<int64_t> true_places(const Tensor& mask) {
    std::vector<int64_t> found;
    const auto* given = mask.as<uint8_t>();
    for (int64_t i = 0, count = mask.count(); i < count; ++i)
      if (given[i] != 0) found.push_back(i);
    return found;
  }

  Status add_part(const Part& part, const std::vector<int64_t>& places, int64_t selected,
                  std::vector<int64_t>& made) const {
    const auto own = part.mask ? static_cast<int64_t>(places.size()) : last;
    for (size_t i = 0; i < made.size(); ++i) {
      const auto row = static_cast<int64_t>(i) / selected, column = own == 1 ? 0 : static_cast<int64_t>(i) % selected;
      const auto at = static_cast<size_t>(part.mask ? column : row * last + column);
      const int64_t place = places[at];
      if (place < -part.size || place >= part.size)
        return bad_index(label, place, static_cast<int64_t>(at), part.size, true);
      made[i] = made[i] * part.size + (place < 0 ? place + part.size : place);
    }
    return {};
  }
};

// `x` and the tensors named "index", of which those of a byte are masks.
MaskedIndices masked_indices(const KernelRequest& request, const WholeCall& call, std::string label) {
  MaskedIndices made{.label = std::move(label)};
  const Shape& x = call.info(0).shape;
  size_t dim = 0;
  for (const size_t i : call.inputs("index")) {
    const auto& index = request.inputs[i];
    const bool mask = index.type == DataType::Bool || index.type == DataType::UInt8;
    const size_t about = mask ? index.shape.size() : 1;
    made.parts.push_back({i, mask, product(x, dim, dim + about)});
    dim += about;
    if (mask || index.shape.empty()) continue;
    made.ahead = product(index.shape, 0, index.shape.size() - 1);
    made.last = index.shape.back();
  }
  made.inner = product(x, dim, x.size());
  return made;
}

MadeKernel make_masked_index(const KernelRequest& request) {
  const WholeCall call(request);
  const MaskedIndices indices = masked_indices(request, call, "Index");
  const size_t row = TRY(element_bytes(call.info(0).type)) * static_cast<size_t>(indices.inner);
  const int64_t room = call.integer("room");
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    int64_t selected = 0;
    const auto rows = TRY(indices.rows(in, selected));
    if (selected != room)
      return failed(indices.label, formatted("the indices select {} elements; out has room for {}", selected, room));
    if (row == 0) return {};
    copy_picked(row, static_cast<int64_t>(rows.size()), out[0].as<std::byte>(), in[0].as<std::byte>(),
                [&](int64_t r) { return rows[static_cast<size_t>(r)]; });
    return {};
  });
}

// Each of `ahead` groups of one row as often as the indices select.
std::vector<std::byte> repeated(const Tensor& values, int64_t ahead, int64_t times) {
  const size_t row = ahead > 0 ? values.bytes() / static_cast<size_t>(ahead) : 0;
  std::vector<std::byte> made(static_cast<size_t>(ahead * times) * row);
  if (row > 0)
    copy_picked(row, ahead * times, made.data(), values.as<std::byte>(), [&](int64_t r) { return r / times; });
  return made;
}

MadeKernel make_masked_put(const KernelRequest& request) {
  const WholeCall call(request);
  const MaskedIndices indices = masked_indices(request, call, "IndexPutImpl");
  const DataType type = call.info(0).type;
  TRY(element_bytes(type));
  const int values = call.even_empty("values");
  const int64_t given = call.integer("given");
  const Put how = call.flag("accumulate") ? Put::Add : Put::Replace;
  return function_kernel(
      [=](Inputs in, Outputs out) -> Status {
        int64_t selected = 0;
        const auto rows = TRY(indices.rows(in, selected));
        if (given != selected && given != 1)
          return failed(indices.label,
                        formatted("values has {} elements for the {} that the indices select", given, selected));
        begin_with(in[0], out[0]);
        Tensor updates = in[static_cast<size_t>(values)];
        std::vector<std::byte> copies;
        if (given != selected) {
          copies = repeated(updates, indices.ahead, selected);
          updates.data = copies.data();
        }
        return put_rows(how, type, rows, indices.inner, updates, out[0]);
      },
      1);
}

constexpr KernelRow kRows[] = {
    {"AclnnMaskedIndex", "reference", make_masked_index},
    {"AclnnMaskedPut", "reference", make_masked_put},
};

}  // namespace

std::span<const KernelRow> masked_index_rows() { return kRows; }

}  // namespace belay::backend::cpu
