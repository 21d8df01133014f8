// SPDX-License-Identifier: Apache-2.0
#include "backend/kernel.h"

#include <map>

#include "backend/chosen_kernel.h"
#include "base/log/log.h"

namespace belay::backend {

namespace {

// The rows of each operator in the order in which kernel_rows() lists them.
const std::multimap<std::string_view, const KernelRow*>& rows_by_operator() {
  static const auto* index = [] {
    auto* made = new std::multimap<std::string_view, const KernelRow*>;
    for (const KernelRow& row : kernel_rows()) made->emplace(row.op, &row);
    return made;
  }();
  return *index;
}

}  // namespace

Status refuse(std::string why) { return {ACL_ERROR_GE_FAILURE, std::move(why)}; }

MadeKernel make_kernel(const KernelRequest& request, std::string_view only) {
  std::string_view how;
  return make_kernel(request, only, how);
}

MadeKernel make_kernel(const KernelRequest& request, std::string_view only, std::string_view& how) {
  const auto [first, last] = rows_by_operator().equal_range(request.node.type);
  std::string reasons;
  const bool fused = request.node.attributes.contains(graph::kMembers);
  for (auto found = first; found != last; ++found) {
    const KernelRow& row = *found->second;
    if (fused != row.how.starts_with("fused")) continue;  // the others know nothing of the members
    if (!only.empty() && row.how != only) continue;
    MadeKernel made = row.make(request);
    how = row.how;
    if (made.ok()) return made;
    log_info(LogModule::Ge, "{} {}: {} refuses: {}", request.node.type, request.node.name, row.how,
             made.status().message);
    reasons += formatted("{}{}: {}", reasons.empty() ? "" : "; ", row.how, made.status().message);
  }
  if (first == last) reasons = "there is no kernel for this operator";
  if (reasons.empty()) reasons = formatted("there is no {} kernel for this operator", only);
  return refuse(formatted("{} {} cannot run: {}", request.node.type, request.node.name, reasons));
}

}  // namespace belay::backend
