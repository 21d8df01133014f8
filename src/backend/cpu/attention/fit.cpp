// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/attention/fit.h"

#include "base/text.h"

namespace belay::backend::cpu::attention {
namespace {

// Refuses an input that is not of a type, or does not have so many elements; 0: any number.
Status check_input(const WholeCall& call, int input, const std::string& what, DataType type, int64_t count = 0) {
  if (input < 0) return {};
  const auto& info = call.info(input);
  if (info.type != type)
    return refuse(formatted("{} is {}; it must be {}", what, graph::name_of(info.type), graph::name_of(type)));
  if (count > 0 && graph::element_count(info.shape) != count)
    return refuse(formatted("{} has shape {}; it must have {} elements", what, graph::to_text(info.shape), count));
  return {};
}

// `part` goes along with `whole`, row by row; of both the size of a head may be its own.
Status check_alike(const Keys& part, const Keys& whole, const std::string& what, const std::string& other) {
  const auto wrong = [&](const std::string& of, int64_t mine, int64_t needed) {
    return refuse(formatted("{} has {} {}, {} has {}", what, mine, of, other, needed));
  };
  if (part.heads() != whole.heads()) return wrong("heads", part.heads(), whole.heads());
  if (whole.paged()) {
    if (part.block_size() != whole.block_size()) return wrong("rows in a block", part.block_size(), whole.block_size());
    return {};
  }
  if (part.batches() != whole.batches()) return wrong("batches", part.batches(), whole.batches());
  for (int64_t b = 0; b < whole.batches(); ++b)
    if (part.shape(b).rows != whole.shape(b).rows) return wrong("rows", part.shape(b).rows, whole.shape(b).rows);
  return {};
}

}  // namespace

Status check_types(const Call& made, const WholeCall& call) {
  const DataType type = call.info(made.query).type, keys = made.keys->type();
  if (!is_real(type)) return refuse(formatted("query of {} is not supported", graph::name_of(type)));
  const bool integers = !made.training && (keys == DataType::Int8 || holds_int4(keys));
  if (made.values->type() != keys || (keys != type && !integers))
    return refuse(formatted("query, key and value are {}, {} and {}; they must have one type", graph::name_of(type),
                            graph::name_of(keys), graph::name_of(made.values->type())));
  TRY(check_input(call, made.query_rope, "queryRope", type));
  if (made.key_rope && made.key_rope->type() != type)
    return refuse(
        formatted("keyRope is {}; it must be {}", graph::name_of(made.key_rope->type()), graph::name_of(type)));
  TRY(check_input(call, made.table, "blockTable", DataType::Int32));
  TRY(check_input(call, made.query_padding, "queryPaddingSize", DataType::Int64, 1));
  TRY(check_input(call, made.key_padding, "kvPaddingSize", DataType::Int64, 1));
  TRY(call.all_real({"pse", "sink", "quant_scale", "quant_offset", "antiquant_scale", "antiquant_offset", "key_scale",
                     "key_offset", "value_scale", "value_offset"}));
  if (made.sink >= 0 && graph::element_count(call.info(made.sink).shape) != made.q.heads)
    return refuse(formatted("sink needs a number for each of {} heads", made.q.heads));
  return {};
}

Status check_shapes(const Call& made) {
  const Keys &keys = *made.keys, &values = *made.values;
  if (keys.size() != made.q.size)
    return refuse(formatted("heads of the key have {} components, those of the query {}", keys.size(), made.q.size));
  if (keys.heads() == 0 || made.q.heads % keys.heads() != 0 || values.heads() != keys.heads())
    return refuse(formatted("{} heads cannot share {} heads of keys and {} of values", made.q.heads, keys.heads(),
                            values.heads()));
  if (!keys.paged() && keys.tensors() > 1 && made.q.joined)
    return refuse("key is a list, whose tensors are batches; sequences one after another are in one tensor");
  if (keys.tensors() != values.tensors()) return refuse("key and value are lists of different lengths");
  if (!keys.paged() && keys.batches() != made.q.batches)
    return refuse(keys.tensors() > 1 ? "key is a list: it must have one tensor, or one for each batch"
                                     : formatted("query has {} batches, key {}", made.q.batches, keys.batches()));
  TRY(check_alike(values, keys, "value", "key"));
  if (!made.key_rope) return {};
  const Heads &q = made.q, &rope = made.q_rope;
  if (rope.batches != q.batches || rope.heads != q.heads || rope.rows != q.rows || rope.size != made.key_rope->size())
    return refuse("queryRope does not fit query and keyRope");
  return check_alike(*made.key_rope, keys, "keyRope", "key");
}

}  // namespace belay::backend::cpu::attention
