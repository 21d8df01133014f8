// SPDX-License-Identifier: Apache-2.0
#include "graph/model/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay::graph {
namespace {

Node node(std::string name, std::string type, std::vector<Edge> inputs, std::vector<int> control = {}) {
  Node made{.name = std::move(name), .type = std::move(type), .inputs = std::move(inputs)};
  made.control_inputs = std::move(control);
  made.input_descs.resize(made.inputs.size());
  made.outputs.resize(1);
  return made;
}

std::vector<std::string> names(const Graph& graph) {
  std::vector<std::string> all;
  for (const Node& each : graph.nodes) all.push_back(each.name);
  return all;
}

TEST(Graph, SortPutsProducersFirstAndKeepsTheOrderThatIsFree) {
  Graph graph{.name = "g",
              .nodes = {node("out", "NetOutput", {{2, 0}}), node("b", "Const", {}),
                        node("sum", "Add", {{3, 0}, {1, 0}}), node("a", "Data", {}), node("late", "Const", {}, {2})}};
  ASSERT_TRUE(graph.sort().ok());
  EXPECT_THAT(names(graph), testing::ElementsAre("b", "a", "sum", "out", "late"));
  EXPECT_EQ(graph.nodes[2].inputs, (std::vector<Edge>{{1, 0}, {0, 0}}));
  EXPECT_EQ(graph.nodes[4].control_inputs, std::vector<int>{2});
  EXPECT_EQ(graph.output_node(), 3);
}

TEST(Graph, ACycleIsRefusedByTheNameOfANode) {
  Graph graph{.name = "g",
              .nodes = {node("in", "Data", {}), node("p", "Add", {{0, 0}, {2, 0}}), node("q", "Relu", {{1, 0}})}};
  const Status status = graph.sort();
  EXPECT_EQ(status.code, ACL_ERROR_PARSE_MODEL);
  EXPECT_THAT(status.message, testing::HasSubstr("p (Add)"));
}

TEST(Graph, AnEdgeFromAnOutputThatDoesNotExistIsRefused) {
  Graph graph{.name = "g", .nodes = {node("in", "Data", {}), node("p", "Relu", {{0, 1}})}};
  const Status status = graph.sort();
  EXPECT_EQ(status.code, ACL_ERROR_PARSE_MODEL);
  EXPECT_THAT(status.message, testing::HasSubstr("p (Relu)"));
}

TEST(Graph, InputsAreOrderedByTheirIndexAndOpenPortsAreKept) {
  Graph graph{
      .nodes = {node("second", "Data", {}), node("first", "Data", {}), node("use", "Conv2D", {{0, 0}, {}, {1, 0}})}};
  graph.nodes[0].attributes["index"] = 1;
  graph.nodes[1].attributes["index"] = 0;
  EXPECT_EQ(graph.input_nodes(), (std::vector<int>{1, 0}));
  EXPECT_EQ(graph.find("use"), 2);
  EXPECT_EQ(graph.find("none"), -1);
  ASSERT_TRUE(graph.sort().ok());
  EXPECT_FALSE(graph.nodes[2].inputs[1].connected());
}

TEST(Graph, RemovingNodesRenumbersTheRest) {
  Graph graph{.nodes = {node("gone", "Const", {}), node("in", "Data", {}), node("r", "Relu", {{1, 0}}, {0})}};
  graph.remove_nodes({false, true, true});
  EXPECT_THAT(names(graph), testing::ElementsAre("in", "r"));
  EXPECT_EQ(graph.nodes[1].inputs[0], (Edge{0, 0}));
  EXPECT_TRUE(graph.nodes[1].control_inputs.empty());
}

}  // namespace
}  // namespace belay::graph
