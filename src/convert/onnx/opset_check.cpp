// SPDX-License-Identifier: Apache-2.0
#include "convert/onnx/opset_check.h"

#include <map>
#include <set>

#include "base/text.h"
#include "convert/map/mapping.h"

namespace belay::convert {
namespace {

struct Use {
  int64_t newest = 0;
  std::set<std::string> operators;  // those of an opset that is too new
};
using Uses = std::map<std::string, Use>;  // by domain

// 0: a domain of which no operator is known; each is refused by its name.
int64_t newest_of(const std::string& domain) {
  if (domain.empty()) return newest_onnx;
  return domain == "com.microsoft" || domain == "npu" || domain == "hccl" ? newest_other : 0;
}

void find_newer(const onnx::Model& model, const std::vector<onnx::Node>& nodes, Uses& uses) {
  for (const auto& node : nodes) {
    const auto imported = model.opsets.find(node.domain);
    const int64_t opset = node.opset ? node.opset : imported == model.opsets.end() ? 0 : imported->second;
    if (const int64_t known = newest_of(node.domain); known > 0 && opset > known) {
      Use& use = uses[node.domain];
      use.newest = std::max(use.newest, opset);
      use.operators.insert(node.type);
    }
    for (const auto& attribute : node.attributes)
      if (attribute.g) find_newer(model, attribute.g->nodes, uses);
  }
}

}  // namespace

Status check_opsets(const onnx::Model& model) {
  Uses uses;
  find_newer(model, model.graph.nodes, uses);
  if (uses.empty()) return {};
  const auto& [domain, use] = *uses.begin();
  std::string names;
  for (const auto& name : use.operators) names += (names.empty() ? "" : ", ") + name;
  return {
      ACL_ERROR_FEATURE_UNSUPPORTED,
      formatted("the model uses opset {} of {}; the newest that is known here is {}. What it says of these operators "
                "may differ: {}. Export the model with opset {} or an older one",
                use.newest, domain.empty() ? "ONNX" : domain, newest_of(domain), names, newest_of(domain)),
      "E16002"};
}

}  // namespace belay::convert
