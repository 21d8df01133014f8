// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/chain.h"

#include <algorithm>

#include "backend/cpu/arguments.h"

namespace belay::backend::cpu {
namespace {

using graph::get_or;
using graph::Node;
using graph::TensorInfo;

Result<float> scalar(const TensorInfo& info) {
  if (!info.value) return refuse("a limit is not a constant");
  Tensor tensor{info.type, info.shape, Layout::Plain, const_cast<std::byte*>(info.value->bytes.data())};
  const auto values = TRY(reals(tensor));
  if (values.size() != 1) return refuse("a limit is not a single number");
  return static_cast<float>(values[0]);
}

Result<Activation> read_clip(std::span<const TensorInfo> inputs) {
  if (inputs.size() != 3) return refuse("a clip without both limits");
  const float least = TRY(scalar(inputs[1]));
  const float most = TRY(scalar(inputs[2]));
  return Activation{{EltwiseKind::Clip, least, most}};
}

Result<Activation> read_elu(const Node& node) {
  if (get_or(node.attributes, "scale", 1.0f) != 1 || get_or(node.attributes, "input_scale", 1.0f) != 1)
    return refuse("an Elu with scales");
  return Activation{{EltwiseKind::Elu, get_or(node.attributes, "alpha", 1.0f)}};
}

// The member's inputs by the fused node's: those that come from Data nodes.
std::vector<int> ports_of(const graph::Graph& members, const Node& node) {
  std::vector<int> ports;
  for (const graph::Edge& edge : node.inputs) {
    const bool outside = edge.connected() && members.nodes[edge.node].type == "Data";
    ports.push_back(outside ? static_cast<int>(get_or<int64_t>(members.nodes[edge.node].attributes, "index", 0)) : -1);
  }
  return ports;
}

std::vector<TensorInfo> infos_of(const std::vector<int>& ports, const KernelRequest& request) {
  std::vector<TensorInfo> infos;
  for (const int port : ports)
    infos.push_back(port < 0 ? TensorInfo{.present = false} : request.inputs[static_cast<size_t>(port)]);
  return infos;
}

bool reads(const graph::Graph& members, const Node& node, const Node& producer) {
  return std::ranges::any_of(
      node.inputs, [&](const graph::Edge& edge) { return edge.connected() && &members.nodes[edge.node] == &producer; });
}

Status add_member(Chain& chain, const KernelRequest& request, const graph::Graph& members, const Node& node) {
  const auto ports = ports_of(members, node);
  if (!graph::is_sum(node)) {
    chain.activation = TRY(read_activation(node, infos_of(ports, request)));
    return {};
  }
  if (chain.addend >= 0 || !chain.activation.empty() || ports.size() != 2)
    return refuse("an Add that is not the second");
  chain.addend = std::max(ports[0], ports[1]);
  if (chain.addend < 0) return refuse("an Add of members only");
  if (request.inputs[static_cast<size_t>(chain.addend)].shape != request.outputs[0].shape)
    return refuse("an Add that broadcasts");
  return {};
}

}  // namespace

Result<Activation> read_activation(const Node& node, std::span<const TensorInfo> inputs) {
  const std::string& type = node.type;
  const graph::Attributes& a = node.attributes;
  if (type == "Relu") return Activation{{EltwiseKind::Relu}};
  if (type == "Relu6") return Activation{{EltwiseKind::Clip, 0, 6}};
  if (type == "LeakyRelu") return Activation{{EltwiseKind::Relu, get_or(a, "negative_slope", 0.0f)}};
  if (type == "Sigmoid") return Activation{{EltwiseKind::Sigmoid}};
  if (type == "Tanh") return Activation{{EltwiseKind::Tanh}};
  if (type == "Elu") return read_elu(node);
  if (type == "Swish") return Activation{{EltwiseKind::Swish, get_or(a, "scale", 1.0f)}};
  if (type == "HardSwish") return Activation{{EltwiseKind::HardSwish}};
  if (type == "Mish") return Activation{{EltwiseKind::Mish}};
  if (type == "ClipByValue") return read_clip(inputs);
  if (type == "GeluV2")
    return Activation{
        {get_or(a, "approximate", std::string("none")) == "tanh" ? EltwiseKind::GeluTanh : EltwiseKind::GeluErf}};
  if (type == "HardSigmoid")
    return Activation{{EltwiseKind::Linear, get_or(a, "alpha", 0.16666666f), get_or(a, "beta", 0.5f)},
                      {EltwiseKind::Clip, 0, 1}};
  return refuse("there is no fused " + type);
}

Result<Chain> read_chain(const KernelRequest& request) {
  Chain chain;
  const auto* members = graph::get_if<std::shared_ptr<graph::Graph>>(request.node.attributes, graph::kMembers);
  if (!members) {
    chain.head = &request.node;
    for (size_t i = 0; i < request.inputs.size(); ++i)
      chain.ports.push_back(request.inputs[i].present ? static_cast<int>(i) : -1);
    chain.infos.assign(request.inputs.begin(), request.inputs.end());
    return chain;
  }
  const Node* last = nullptr;
  for (const Node& node : (*members)->nodes) {
    if (node.type == "Data" || node.type == "NetOutput") continue;
    if (!chain.head) {
      chain.head = &node;
      chain.ports = ports_of(**members, node);
      chain.infos = infos_of(chain.ports, request);
    } else {
      if (!reads(**members, node, *last)) return refuse("the members are not a chain");
      TRY(add_member(chain, request, **members, node));
    }
    last = &node;
  }
  if (!chain.head) return refuse("it has no members");
  return chain;
}

}  // namespace belay::backend::cpu
