// SPDX-License-Identifier: Apache-2.0
// Tensors joined and taken apart in the layout that they have, against index arithmetic element by element.
#include "support/layout_call.h"

namespace belay::test {
namespace {

using Numbers = std::vector<double>;

Numbers counted(const Shape& shape, double first) {
  Numbers all(static_cast<size_t>(graph::element_count(shape)));
  for (size_t i = 0; i < all.size(); ++i) all[i] = first + static_cast<double>(i % 997);
  return all;
}

// Row by row of the dimensions before the axis.
Numbers joined(const std::vector<Value>& parts, size_t axis) {
  Numbers all;
  int64_t outer = 1;
  for (size_t d = 0; d < axis; ++d) outer *= parts[0].shape[d];
  for (int64_t o = 0; o < outer; ++o)
    for (const Value& part : parts) {
      const Numbers elements = part.numbers();
      const auto row = static_cast<int64_t>(elements.size()) / outer;
      all.insert(all.end(), elements.begin() + o * row, elements.begin() + (o + 1) * row);
    }
  return all;
}

TEST(Concat, JoinsInTheLayoutOfMostElements) {
  for (const DataType type : {DataType::Float, DataType::Float16})
    for (const Shape& shape : {Shape{2, 16, 3, 5}, Shape{1, 5, 4, 4}, Shape{3, 33, 2, 1}, Shape{2, 16, 2, 3, 4}})
      for (size_t axis = 0; axis < shape.size(); ++axis)
        for (const Layout layout : {Layout::Plain, Layout::ChannelsLast}) {
          SCOPED_TRACE(testing::Message() << graph::to_text(shape) << " axis " << axis << " " << int(layout));
          std::vector<Value> parts;
          for (const int64_t more : {0, 1, 3}) {
            Shape part = shape;
            part[axis] += more;
            parts.push_back(tensor(type, part, counted(part, double(100 * more))));
          }
          const std::vector<Layout> layouts = {layout, layout, Layout::Plain};
          const Numbers want = joined(parts, axis);
          EXPECT_EQ(numbers_in_layout({"ConcatD", parts, {{"concat_dim", int64_t(axis)}}, "reference", layouts}), want);
          parts.push_back(tensor<int32_t>({}, {double(axis)}));
          EXPECT_EQ(numbers_in_layout({"ConcatV2", parts, {}, "reference", layouts, 3, true}), want);
        }
}

TEST(Split, TakesApartWhatConcatJoinsInEitherLayout) {
  for (const DataType type : {DataType::Float, DataType::Float16})
    for (const Shape& shape : {Shape{2, 16, 3, 5}, Shape{1, 5, 4, 4}, Shape{2, 16, 2, 3, 4}})
      for (size_t axis = 0; axis < shape.size(); ++axis)
        for (const Layout layout : {Layout::Plain, Layout::ChannelsLast})
          for (size_t output = 0; output < 3; ++output) {
            SCOPED_TRACE(testing::Message() << graph::to_text(shape) << " axis " << axis << " " << int(layout));
            std::vector<Value> parts;
            std::vector<double> sizes;
            Shape whole = shape;
            whole[axis] = 0;
            for (const int64_t more : {0, 1, 3}) {
              Shape part = shape;
              part[axis] += more;
              parts.push_back(tensor(type, part, counted(part, double(100 * more))));
              sizes.push_back(double(part[axis]));
              whole[axis] += part[axis];
            }
            const std::vector<Value> inputs = {tensor(type, whole, joined(parts, axis)), tensor<int64_t>({3}, sizes),
                                               tensor<int64_t>({1}, {double(axis)})};
            EXPECT_EQ(numbers_in_layout({"SplitV", inputs, {{"num_split", int64_t{3}}}, "", {layout}, 2, true, output}),
                      parts[output].numbers());
          }
}

TEST(ChannelShuffle, DealsOutTheChannelsOfItsGroupsInEitherLayout) {
  for (const DataType type : {DataType::Float, DataType::Float16, DataType::Double})
    for (const Shape& shape : {Shape{2, 12, 3, 5}, Shape{1, 116, 7, 7}, Shape{3, 12, 1, 2, 2}})
      for (const int64_t group : {1, 2, 3, 4})
        for (const Layout layout : {Layout::Plain, Layout::ChannelsLast}) {
          SCOPED_TRACE(testing::Message() << graph::to_text(shape) << " in " << group << " " << int(layout));
          if (shape[1] % group) continue;
          const Numbers x = counted(shape, 0);
          const int64_t channels = shape[1], each = channels / group,
                        places = graph::element_count(shape) / channels / shape[0];
          Numbers want;
          for (int64_t n = 0; n < shape[0]; ++n)
            for (int64_t c = 0; c < channels; ++c)
              for (int64_t p = 0; p < places; ++p)
                want.push_back(x[static_cast<size_t>((n * channels + c % group * each + c / group) * places + p)]);
          EXPECT_EQ(
              numbers_in_layout({"ShuffleChannel", {tensor(type, shape, x)}, {{"group", group}}, "", {layout}, 2}),
              want);
        }
}

TEST(Concat, ChannelsLastStaysChannelsLast) {
  graph::Node node{.name = "node", .type = "ConcatD", .attributes = {{"concat_dim", int64_t{1}}}};
  const std::vector<graph::TensorInfo> inputs = {{DataType::Float, {1, 5, 4, 4}}, {DataType::Float, {1, 3, 4, 4}}};
  const std::vector<graph::TensorInfo> outputs = {{DataType::Float, {1, 8, 4, 4}}};
  const std::vector<Layout> layouts = {Layout::ChannelsLast, Layout::Plain};
  auto made = backend::make_kernel({node, inputs, outputs, layouts});
  ASSERT_TRUE(made.ok()) << made.status().message;
  const auto kernel = std::move(made).value();
  EXPECT_EQ(kernel->gives(0), Layout::ChannelsLast);
  EXPECT_EQ(kernel->wants(1), Layout::ChannelsLast);
}

}  // namespace
}  // namespace belay::test
