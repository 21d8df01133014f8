// SPDX-License-Identifier: Apache-2.0
// Copies that turn tensors around, against index arithmetic element by element.
#include "support/layout_call.h"

namespace belay::test {
namespace {

std::vector<double> counting(const Shape& shape) {
  std::vector<double> all(static_cast<size_t>(graph::element_count(shape)));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<double>(i % 251);
  return all;
}

// Element (i, j, k, l) of x is at the place that the order gives it.
std::vector<double> turned(const Shape& x, const std::vector<int64_t>& order, const std::vector<double>& elements) {
  Shape y, strides = {x[1] * x[2] * x[3], x[2] * x[3], x[3], 1};
  for (const int64_t axis : order) y.push_back(x[static_cast<size_t>(axis)]);
  const auto stride = [&](size_t d) { return strides[static_cast<size_t>(order[d])]; };
  std::vector<double> result;
  for (int64_t i = 0; i < y[0]; ++i)
    for (int64_t j = 0; j < y[1]; ++j)
      for (int64_t k = 0; k < y[2]; ++k)
        for (int64_t l = 0; l < y[3]; ++l)
          result.push_back(
              elements[static_cast<size_t>(i * stride(0) + j * stride(1) + k * stride(2) + l * stride(3))]);
  return result;
}

TEST(Transpose, TurnsTilesOfEveryElementSize) {
  const std::vector<std::vector<int64_t>> orders = {{0, 2, 1, 3}, {0, 2, 3, 1}, {3, 2, 1, 0}, {0, 1, 3, 2},
                                                    {2, 3, 0, 1}, {0, 3, 1, 2}, {1, 0, 2, 3}};
  for (const Shape& shape : {Shape{2, 37, 3, 50}, Shape{1, 32, 16, 48}, Shape{1, 5, 4, 3}})
    for (const DataType type : {DataType::UInt8, DataType::Float16, DataType::Float, DataType::Int64})
      for (const auto& order : orders) {
        const auto elements = counting(shape);
        const std::vector<double> perm(order.begin(), order.end());
        const OpCall call{
            .op = "Transpose", .inputs = {tensor(type, shape, elements), tensor<int64_t>({4}, perm)}, .threads = 3};
        EXPECT_EQ(numbers(call), turned(shape, order, elements)) << graph::name_of(type);
      }
}

// Channels that lie last already, or are called dimension 1 where they are last, need no copy.
TEST(Transpose, ChannelsThatLieLastAreSeenOtherwise) {
  struct Turn {
    std::vector<int64_t> order;
    Layout comes, gives;
  };
  const Turn turns[] = {{{0, 2, 3, 1}, Layout::ChannelsLast, Layout::Plain},
                        {{0, 3, 1, 2}, Layout::Plain, Layout::ChannelsLast},
                        {{0, -2, -1, 1}, Layout::ChannelsLast, Layout::Plain}};
  for (const Shape& shape : {Shape{1, 17, 5, 3}, Shape{3, 5, 1, 7}, Shape{2, 1, 4, 4}})
    for (const DataType type : {DataType::UInt8, DataType::Float16, DataType::Float, DataType::Int64})
      for (const Turn& turn : turns) {
        const auto elements = counting(shape);
        std::vector<int64_t> order;
        for (const int64_t axis : turn.order) order.push_back(axis < 0 ? axis + 4 : axis);
        const std::vector<double> perm(turn.order.begin(), turn.order.end());
        const std::vector<Value> inputs = {tensor(type, shape, elements), tensor<int64_t>({4}, perm)};
        const auto want = turned(shape, order, elements);
        EXPECT_EQ(numbers_in_layout({"Transpose", inputs, {}, "view", {turn.comes}, 1, true}), want);
        EXPECT_EQ(numbers_in_layout({"TransposeD", {inputs[0]}, {{"perm", turn.order}}, "view", {turn.comes}}), want);

        graph::Node node{.name = "node", .type = "TransposeD", .attributes = {{"perm", turn.order}}};
        const std::vector<graph::TensorInfo> infos = {{type, shape}};
        Shape y;
        for (const int64_t axis : order) y.push_back(shape[static_cast<size_t>(axis)]);
        const std::vector<graph::TensorInfo> outputs = {{type, y}};
        const std::vector<Layout> layouts = {turn.comes};
        auto made = backend::make_kernel({node, infos, outputs, layouts});
        ASSERT_TRUE(made.ok()) << made.status().message;
        EXPECT_EQ((*made)->alias_of(0), 0);
        EXPECT_EQ((*made)->gives(0), turn.gives);
      }
}

// The other layout, another order, or an order that is not known: the elements move.
TEST(Transpose, ElementsMoveWhereTheirPlacesDiffer) {
  const Shape shape = {2, 5, 3, 7};
  const auto elements = counting(shape);
  const std::vector<Value> x = {tensor<float>(shape, elements)};
  for (const Layout layout : {Layout::Plain, Layout::ChannelsLast})
    for (const std::vector<int64_t>& order :
         {std::vector<int64_t>{0, 2, 3, 1}, {0, 3, 1, 2}, {0, 2, 1, 3}, {0, 1, 3, 2}, {1, 2, 3, 0}, {2, 3, 0, 1}}) {
      const auto want = turned(shape, order, elements);
      EXPECT_EQ(numbers_in_layout({"TransposeD", x, {{"perm", order}}, "", {layout}}), want);
      const std::vector<double> perm(order.begin(), order.end());
      EXPECT_EQ(numbers_in_layout({"Transpose", {x[0], tensor<int64_t>({4}, perm)}, {}, "", {layout}}), want);
    }
}

// Where element (n, c, s) is, by the definition of the layouts.
size_t place(const Shape& shape, Layout layout, int64_t n, int64_t c, int64_t s) {
  const int64_t channels = shape[1], space = shape[2] * shape[3];
  if (layout == Layout::Plain) return static_cast<size_t>((n * channels + c) * space + s);
  return static_cast<size_t>((n * space + s) * channels + c);
}

TEST(Reorder, PutsEveryElementInItsPlace) {
  const Layout layouts[] = {Layout::Plain, Layout::ChannelsLast};
  for (const Shape& shape : {Shape{2, 32, 6, 8}, Shape{1, 20, 5, 7}, Shape{3, 3, 16, 16}, Shape{2, 64, 1, 1}})
    for (const Layout from : layouts)
      for (const Layout to : layouts) {
        SCOPED_TRACE(testing::Message() << graph::to_text(shape) << " " << int(from) << " to " << int(to));
        const auto count = static_cast<size_t>(graph::element_count(shape));
        std::vector<float> x(count), y(count, -1.0f), want(count);
        for (int64_t n = 0; n < shape[0]; ++n)
          for (int64_t c = 0; c < shape[1]; ++c)
            for (int64_t s = 0; s < shape[2] * shape[3]; ++s)
              x[place(shape, from, n, c, s)] = want[place(shape, to, n, c, s)] =
                  static_cast<float>(n * 9973 + c * 257 + s + 1);
        const backend::Tensor source{DataType::Float, shape, from, x.data()};
        backend::Tensor target{DataType::Float, shape, to, y.data()};
        ASSERT_TRUE(backend::reorder(source, target).ok());
        EXPECT_EQ(y, want);
      }
}

}  // namespace
}  // namespace belay::test
