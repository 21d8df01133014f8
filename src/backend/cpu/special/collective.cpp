// SPDX-License-Identifier: Apache-2.0
// Operators that work together with other ranks: what goes where, for the communicator of their group.
#include "backend/collective.h"

#include <cstring>

#include "backend/cpu/arguments.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "base/text.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

using Kind = Collective::Kind;
using Member = Collectives::Member;
using Part = Collective::Part;
using Numbers = std::vector<int64_t>;

// What the node says.
struct Wanted {
  std::string label;
  Collective call;
  int64_t rank_size = 0;  // 0: it does not say

  Status fail(const std::string& why) const { return failed(label, why); }
};

Wanted wanted_by(const KernelRequest& request, Kind kind) {
  const graph::Node& node = request.node;
  Wanted wanted{label_of(node), {.kind = kind}, graph::int_of(node, "rank_size", 0)};
  wanted.call.group = graph::text_of(node, "group", "");
  wanted.call.reduction = graph::text_of(node, "reduction", "");
  for (const char* name : {"root_rank", "dest_rank", "src_rank"})
    wanted.call.rank = graph::int_of(node, name, wanted.call.rank);
  wanted.call.tag = graph::int_of(node, "sr_tag", 0);
  return wanted;
}

Result<Collectives*> groups_of(const Wanted& wanted) {
  if (Collectives* found = collectives()) return found;
  return wanted.fail(
      formatted("group \"{}\" can be reached only from a model that a program runs on a device", wanted.call.group));
}

Result<Member> member_of(const Wanted& wanted, Collectives& groups) {
  const Member member = TRY(groups.member(wanted.call.group));
  if (wanted.rank_size == 0 || wanted.rank_size == member.size) return member;
  return wanted.fail(formatted("the model was made for {} ranks, and group \"{}\" has {}", wanted.rank_size,
                               wanted.call.group, member.size));
}

// One tensor of an operator in which every rank counts alike.
Status run_even(const Wanted& wanted, const Tensor& x, const Tensor& y) {
  Collectives& groups = *TRY(groups_of(wanted));
  const Member member = TRY(member_of(wanted, groups));
  Collective call = wanted.call;
  call.type = x.type;
  call.send = x.data;
  call.recv = y.data;
  call.count = static_cast<uint64_t>(call.kind == Kind::ReduceScatter ? y.count() : x.count());
  if (call.kind == Kind::AllToAll) {
    if (call.count % member.size)
      return wanted.fail(formatted("{} ranks cannot share {} elements evenly", member.size, call.count));
    call.count /= member.size;
  }
  // The root of a broadcast keeps what it gives; of a reduction the other ranks get nothing.
  if (x.bytes() == 0) return {};
  if (call.kind == Kind::Broadcast && member.rank == call.rank) std::memcpy(y.data, x.data, x.bytes());
  if (call.kind == Kind::Reduce && member.rank != call.rank) std::memset(y.data, 0, y.bytes());
  return groups.run(std::move(call));
}

template <Kind kind>
MadeKernel make_even(const KernelRequest& request) {
  return function_kernel([wanted = wanted_by(request, kind)](Inputs in, Outputs out) -> Status {
    for (size_t i = 0; i < in.size() && i < out.size(); ++i) TRY(run_even(wanted, in[i], out[i]));
    return {};
  });
}

// Counts and displacements as parts of a tensor; without displacements one follows the other.
Result<std::vector<Part>> parts_of(const Wanted& wanted, const Numbers& counts, const Numbers& displacements,
                                   const Member& member, const Tensor& whole) {
  if (counts.size() != member.size || displacements.size() != counts.size())
    return wanted.fail(formatted("there are {} counts and {} displacements, and {} ranks", counts.size(),
                                 displacements.size(), member.size));
  std::vector<Part> parts;
  for (size_t i = 0; i < counts.size(); ++i) {
    const int64_t begin = displacements[i], count = counts[i];
    if (count < 0 || (count > 0 && (begin < 0 || begin > whole.count() || count > whole.count() - begin)))
      return wanted.fail(formatted("the part of rank {} begins at {} and has {} elements, of a tensor with {}", i,
                                   begin, count, whole.count()));
    parts.push_back({static_cast<uint64_t>(begin), static_cast<uint64_t>(count)});
  }
  return parts;
}

Numbers packed(const Numbers& counts) {
  Numbers begins;
  int64_t at = 0;
  for (const int64_t count : counts) {
    begins.push_back(at);
    at += count;
  }
  return begins;
}

Result<Numbers> displacements_or_packed(Inputs in, size_t input, const Numbers& counts) {
  if (input < in.size() && in[input].present) return integers(in[input]);
  return packed(counts);
}

// `prepare` fills in the parts.
template <class Prepare>
MadeKernel uneven_kernel(const KernelRequest& request, Kind kind, Prepare prepare) {
  return function_kernel([wanted = wanted_by(request, kind), prepare](Inputs in, Outputs out) -> Status {
    Collectives& groups = *TRY(groups_of(wanted));
    const Member member = TRY(member_of(wanted, groups));
    Collective call = wanted.call;
    call.type = in[0].type;
    call.send = in[0].data;
    call.recv = out[0].data;
    if (out[0].bytes() > 0) std::memset(out[0].data, 0, out[0].bytes());  // no rank writes to gaps
    TRY(prepare(wanted, member, in, out, call));
    return groups.run(std::move(call));
  });
}

Status all_to_all_v(const Wanted& wanted, const Member& member, Inputs in, Outputs out, Collective& call) {
  call.give = TRY(parts_of(wanted, TRY(integers(in[1])), TRY(integers(in[2])), member, in[0]));
  call.take = TRY(parts_of(wanted, TRY(integers(in[3])), TRY(integers(in[4])), member, out[0]));
  return {};
}

Status all_to_all_vc(const Wanted& wanted, const Member& member, Inputs in, Outputs out, Collective& call) {
  const Numbers matrix = TRY(integers(in[1]));
  const size_t size = member.size;
  if (matrix.size() != size * size)
    return wanted.fail(
        formatted("send_count_matrix has {} elements; {} ranks need {}", matrix.size(), size, size * size));
  Numbers row, column;
  for (size_t i = 0; i < size; ++i) {
    row.push_back(matrix[member.rank * size + i]);
    column.push_back(matrix[i * size + member.rank]);
  }
  call.give = TRY(parts_of(wanted, row, packed(row), member, in[0]));
  call.take = TRY(parts_of(wanted, column, packed(column), member, out[0]));
  call.matrix = {matrix.begin(), matrix.end()};
  return {};
}

// This rank's own count, which must be among those of all.
Status count_own(const Wanted& wanted, const Member& member, const Numbers& counts, int64_t own, Collective& call) {
  if (counts[member.rank] != own)
    return wanted.fail(formatted("this rank counts {} elements, and the counts say {} for rank {}", own,
                                 counts[member.rank], member.rank));
  call.count = static_cast<uint64_t>(own);
  return {};
}

Status all_gather_v(const Wanted& wanted, const Member& member, Inputs in, Outputs out, Collective& call) {
  const Numbers counts = TRY(integers(in[2])), begins = TRY(displacements_or_packed(in, 3, counts));
  call.take = TRY(parts_of(wanted, counts, begins, member, out[0]));
  const int64_t own = TRY(integer(in[1]));
  TRY(count_own(wanted, member, counts, own, call));
  if (own > in[0].count()) return wanted.fail(formatted("send_count is {}, and x has {} elements", own, in[0].count()));
  call.give.assign(member.size, {0, call.count});
  return {};
}

Status reduce_scatter_v(const Wanted& wanted, const Member& member, Inputs in, Outputs, Collective& call) {
  const Numbers counts = TRY(integers(in[2])), begins = TRY(displacements_or_packed(in, 3, counts));
  call.give = TRY(parts_of(wanted, counts, begins, member, in[0]));
  return count_own(wanted, member, counts, TRY(integer(in[1])), call);
}

MadeKernel make_all_to_all_v(const KernelRequest& request) {
  return uneven_kernel(request, Kind::AllToAllV, all_to_all_v);
}
MadeKernel make_all_to_all_vc(const KernelRequest& request) {
  return uneven_kernel(request, Kind::AllToAllVC, all_to_all_vc);
}
MadeKernel make_all_gather_v(const KernelRequest& request) {
  return uneven_kernel(request, Kind::AllGatherV, all_gather_v);
}
MadeKernel make_reduce_scatter_v(const KernelRequest& request) {
  return uneven_kernel(request, Kind::ReduceScatterV, reduce_scatter_v);
}

Status run_message(const Wanted& wanted, const Tensor& tensor) {
  Collectives& groups = *TRY(groups_of(wanted));
  Collective call = wanted.call;
  call.type = tensor.type;
  call.count = static_cast<uint64_t>(tensor.count());
  call.send = call.recv = tensor.data;
  return groups.run(std::move(call));
}

MadeKernel make_send(const KernelRequest& request) {
  return function_kernel(
      [wanted = wanted_by(request, Kind::Send)](Inputs in, Outputs) { return run_message(wanted, in[0]); });
}
MadeKernel make_receive(const KernelRequest& request) {
  return function_kernel(
      [wanted = wanted_by(request, Kind::Receive)](Inputs, Outputs out) { return run_message(wanted, out[0]); });
}

constexpr KernelRow rows[] = {
    {"HcomAllReduce", "reference", make_even<Kind::AllReduce>},
    {"HcomReduce", "reference", make_even<Kind::Reduce>},
    {"HcomBroadcast", "reference", make_even<Kind::Broadcast>},
    {"HcomAllGather", "reference", make_even<Kind::AllGather>},
    {"HcomAllGatherV", "reference", make_all_gather_v},
    {"HcomReduceScatter", "reference", make_even<Kind::ReduceScatter>},
    {"HcomReduceScatterV", "reference", make_reduce_scatter_v},
    {"HcomAllToAll", "reference", make_even<Kind::AllToAll>},
    {"HcomAllToAllV", "reference", make_all_to_all_v},
    {"HcomAllToAllVC", "reference", make_all_to_all_vc},
    {"HcomSend", "reference", make_send},
    {"HcomReceive", "reference", make_receive},
};

}  // namespace

std::span<const KernelRow> collective_rows() { return rows; }

}  // namespace belay::backend::cpu
