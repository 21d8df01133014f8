// SPDX-License-Identifier: Apache-2.0
#include "api/hccl/model_collectives.h"

#include "api/hccl/checks.h"
#include "base/text.h"
#include "comm/cluster.h"
#include "comm/count_arrays.h"
#include "comm/creation.h"
#include "comm/data_type.h"
#include "comm/even_work.h"

namespace belay::api {
namespace {

using backend::Collective;
using comm::Communicator;
using comm::Op;
using comm::Work;
using graph::DataType;
using Kind = Collective::Kind;

Op op_of(Kind kind) {
  switch (kind) {
    case Kind::AllReduce:
      return Op::AllReduce;
    case Kind::Reduce:
      return Op::Reduce;
    case Kind::Broadcast:
      return Op::Broadcast;
    case Kind::AllGather:
      return Op::AllGather;
    case Kind::AllGatherV:
      return Op::AllGatherV;
    case Kind::ReduceScatter:
      return Op::ReduceScatter;
    case Kind::ReduceScatterV:
      return Op::ReduceScatterV;
    case Kind::AllToAll:
      return Op::AlltoAll;
    case Kind::AllToAllV:
      return Op::AlltoAllV;
    case Kind::AllToAllVC:
      return Op::AlltoAllVC;
    case Kind::Send:
      return Op::Send;
    case Kind::Receive:
      return Op::Receive;
  }
  return Op::Barrier;
}

HcclDataType type_of(DataType type) {
  switch (type) {
    case DataType::Int8:
      return HCCL_DATA_TYPE_INT8;
    case DataType::Int16:
      return HCCL_DATA_TYPE_INT16;
    case DataType::Int32:
      return HCCL_DATA_TYPE_INT32;
    case DataType::Int64:
      return HCCL_DATA_TYPE_INT64;
    case DataType::UInt8:
      return HCCL_DATA_TYPE_UINT8;
    case DataType::UInt16:
      return HCCL_DATA_TYPE_UINT16;
    case DataType::UInt32:
      return HCCL_DATA_TYPE_UINT32;
    case DataType::UInt64:
      return HCCL_DATA_TYPE_UINT64;
    case DataType::Float16:
      return HCCL_DATA_TYPE_FP16;
    case DataType::BFloat16:
      return HCCL_DATA_TYPE_BFP16;
    case DataType::Float:
      return HCCL_DATA_TYPE_FP32;
    case DataType::Double:
      return HCCL_DATA_TYPE_FP64;
    default:
      return HCCL_DATA_TYPE_RESERVED;
  }
}

HcclReduceOp reduction_of(const std::string& name) {
  for (const HcclReduceOp op : {HCCL_REDUCE_SUM, HCCL_REDUCE_PROD, HCCL_REDUCE_MAX, HCCL_REDUCE_MIN})
    if (name == comm::name_of(op)) return op;
  return HCCL_REDUCE_RESERVED;
}

bool reduces(Op op) {
  return op == Op::AllReduce || op == Op::Reduce || op == Op::ReduceScatter || op == Op::ReduceScatterV;
}

std::vector<comm::Part> parts_of(const std::vector<Collective::Part>& parts) {
  std::vector<comm::Part> all;
  for (const Collective::Part& part : parts) all.push_back({part.offset, part.count});
  return all;
}

// The error of an operator that cannot run.
Status failed(std::string why) { return {ACL_ERROR_RT_AICORE_EXCEPTION, std::move(why), "EI0003"}; }

Status check_elements(const Collective& collective, const comm::Call& call) {
  const std::string_view name = graph::name_of(collective.type);
  if (!comm::movable(call.type)) return failed(formatted("elements of type {} do not go from rank to rank", name));
  if (!reduces(call.op)) return {};
  if (call.reduce == HCCL_REDUCE_RESERVED)
    return failed(formatted("reduction is \"{}\"; it must be sum, prod, max or min", collective.reduction));
  if (comm::reducible(call.type, call.reduce)) return {};
  return failed(formatted("elements of type {} have no {} over ranks", name, collective.reduction));
}

Result<comm::Call> call_of(const Collective& collective, const Communicator& in) {
  comm::Call call{.op = op_of(collective.kind), .type = type_of(collective.type), .count = collective.count};
  if (reduces(call.op)) call.reduce = reduction_of(collective.reduction);
  TRY(check_elements(collective, call));
  if (collective.rank < 0 || collective.rank >= in.size())
    return failed(
        formatted("rank {} is none of group \"{}\", which has {}", collective.rank, collective.group, in.size()));
  return call;
}

Work work_of(Collective&& collective, comm::Call call, const Communicator& in) {
  const bool root = collective.kind == Kind::Reduce || collective.kind == Kind::Broadcast;
  if (root) call.root = static_cast<uint32_t>(collective.rank);
  if (collective.give.empty()) return comm::even_work(call, collective.send, collective.recv, in.rank(), in.size());
  call.count = in.size() == 1 ? collective.count : 0;
  Work work{call, comm::element_size(call.type), static_cast<const std::byte*>(collective.send),
            static_cast<std::byte*>(collective.recv)};
  work.give = parts_of(collective.give);
  work.take = parts_of(collective.take);
  work.matrix = std::move(collective.matrix);
  work.call.arrays = comm::hash_of_arrays(work);
  return work;
}

// Runs it on the ranks' communicator for models. It counts as an operation of the one that the program made, which is
// asked what went wrong.
template <class Part>
Status run_for_model(Communicator& in, Part part, Stream& stream) {
  const auto twin = TRY(comm::for_models(in));
  if (in.board().failed()) return in.board().failure().status;  // after that, for those who failed before it was made
  comm::UnderWay& under_way = in.board().seat(in.rank()).under_way;
  under_way.begin(stream.interrupted());
  Status status = twin->run(std::move(part), stream);
  if (!status.ok() && twin->board().failed()) in.board().fail(twin->board().failure());
  under_way.end(stream.interrupted());
  return status;
}

// The other ranks are told, those as well that wait for this one in operators of models. While the ranks still meet
// none of them does.
void end_for_models(Communicator& in, std::string why) {
  if (in.size() == 1) return;
  const comm::Failure failure{{ACL_ERROR_RT_FFTS_PLUS_TIMEOUT, std::move(why), "EI0002"}, HCCL_E_REMOTE};
  std::shared_ptr<Communicator> twin;
  if (in.has_met())
    if (auto made = comm::for_models(in); made.ok()) twin = std::move(made).value();
  in.board().fail(failure);  // first: a rank without its twin yet finds it there
  if (twin) twin->board().fail(failure);
}

}  // namespace

Result<std::shared_ptr<Communicator>> ModelCollectives::find(const std::string& group) const {
  if (HcclComm handle = comm::find_handle(group, device_))
    if (auto found = comm::communicators().find(handle)) return found;
  const bool world = group == comm::kWorldGroup;
  return failed(formatted("device {} has no communicator of group \"{}\"; make it before the model runs, {}", device_,
                          group,
                          world ? "from a rank table with HcclCommInitClusterInfo or HcomInitByRankTable, or with that "
                                  "name in the hcclCommName of a configuration"
                                : "with HcomCreateGroup, or with that name in the hcclCommName of the configuration of "
                                  "HcclCommInitRootInfoConfig or HcclCreateSubCommConfig"));
}

Result<backend::Collectives::Member> ModelCollectives::member(const std::string& group) {
  const auto found = TRY(find(group));
  return Member{found->rank(), found->size()};
}

Status ModelCollectives::run_message(const Collective& collective, Communicator& in) {
  comm::Message message;
  message.call = TRY(call_of(collective, in));
  message.call.root = static_cast<uint32_t>(collective.tag);
  message.peer = static_cast<uint32_t>(collective.rank);
  const bool sends = message.call.op == Op::Send;
  if (message.peer == in.rank())
    return failed(formatted("rank {} of group \"{}\" cannot {} itself", in.rank(), collective.group,
                            sends ? "send to" : "receive from"));
  message.data = static_cast<std::byte*>(collective.recv);
  message.bytes = collective.count * comm::element_size(message.call.type);
  return run_for_model(in, message, stream_);
}

void ModelCollectives::give_up(std::span<const std::string> groups, const Status& why) {
  for (const std::string& group : groups)
    if (const auto found = find(group); found.ok())
      end_for_models(**found, formatted("rank {} of group \"{}\" cannot go on: its model failed: {}", (*found)->rank(),
                                        group, why.message));
}

ModelTicket::ModelTicket(std::span<const std::string> groups, int device, const Stream& stream)
    : aborted_(&stream.interrupted()) {
  for (const std::string& group : groups) {
    auto found = comm::communicators().find(comm::find_handle(group, device));
    if (found && found->size() > 1) communicators_.push_back(std::move(found));
  }
}

void ModelTicket::begin() {
  begun_ = true;
  for (const auto& each : communicators_) each->board().seat(each->rank()).under_way.begin(*aborted_);
}

ModelTicket::~ModelTicket() {
  if (!begun_) return;
  for (const auto& each : communicators_) {
    if (!used_)
      end_for_models(*each,
                     formatted("rank {} of group \"{}\" did not run its model: its stream was aborted or destroyed "
                               "before",
                               each->rank(), each->name()));
    each->board().seat(each->rank()).under_way.end(*aborted_);
  }
}

Status ModelCollectives::run(Collective collective) {
  const auto found = TRY(find(collective.group));
  const bool even = collective.give.empty();
  if (even && collective.count == 0) return {};
  if (collective.kind == Kind::Send || collective.kind == Kind::Receive) return run_message(collective, *found);
  const comm::Call call = TRY(call_of(collective, *found));
  return run_for_model(*found, work_of(std::move(collective), call, *found), stream_);
}

}  // namespace belay::api
