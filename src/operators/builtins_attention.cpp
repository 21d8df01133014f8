// SPDX-License-Identifier: Apache-2.0
#include "operators/builtins.h"

namespace belay::operators {
namespace {

constexpr double kLeast = -3.4028234663852886e38;  // of float

// Brings a tensor to [batch, heads, sequence, size].
Result<Value> to_heads(Sketch& s, const Value& x, const std::string& layout, int64_t heads) {
  const size_t rank = layout == "BSH" || layout == "SBH" ? 3 : 4;
  if (x.rank() != rank) return invalid(formatted("a tensor of layout {} must have {} dimensions", layout, rank));
  if (layout == "BNSD") return x;
  if (layout == "BSND") return s.permute(x, {0, 2, 1, 3});
  if (x.shape[2] % heads != 0) return invalid(formatted("{} columns do not divide into {} heads", x.shape[2], heads));
  const Value apart = TRY(s.reshape(x, {x.shape[0], x.shape[1], heads, x.shape[2] / heads}));
  return s.permute(apart, layout == "BSH" ? std::vector<int64_t>{0, 2, 1, 3} : std::vector<int64_t>{1, 2, 0, 3});
}

Result<Value> from_heads(Sketch& s, const Value& x, const std::string& layout) {
  if (layout == "BNSD") return x;
  if (layout == "BSND") return s.permute(x, {0, 2, 1, 3});
  const bool batch_first = layout == "BSH";
  const Value made =
      TRY(s.permute(x, batch_first ? std::vector<int64_t>{0, 2, 1, 3} : std::vector<int64_t>{2, 0, 1, 3}));
  return s.reshape(made, {made.shape[0], made.shape[1], made.shape[2] * made.shape[3]});
}

// Heads of keys and values that serve several heads of the query each are repeated.
Result<Value> repeated(Sketch& s, const Value& x, int64_t heads) {
  const int64_t has = x.shape[1];
  if (has == heads) return x;
  if (has == 0 || heads % has != 0) return invalid(formatted("{} heads cannot share {} heads of keys", heads, has));
  const Value apart = TRY(s.reshape(x, {x.shape[0], has, 1, x.shape[2], x.shape[3]}));
  const Value tiled = TRY(s.op("Tile", {apart, s.indices({1, 1, heads / has, 1, 1})}));
  return s.reshape(tiled, {x.shape[0], heads, x.shape[2], x.shape[3]});
}

// The scores outside of the window become the least: query i looks at keys i - before to i + after.
Result<Value> within(Sketch& s, const Value& scores, int64_t before, int64_t after, bool masked) {
  const int64_t rows = scores.shape[2], columns = scores.shape[3], most = std::max(rows, columns);
  if (before >= most && after >= most) return scores;
  if (!masked || rows != columns || before < 0 || after < 0)
    return invalid(
        formatted("preTokens {} and nextTokens {} leave out some of {} queries and {} keys; that is supported "
                  "with attenMask and as many queries as keys only (2147483647 for both: nothing is left out)",
                  before, after, rows, columns));
  const Value ones = TRY(s.expand(s.scalar(DataType::Float, 1), {rows, columns}));
  const Value upper = TRY(s.op("Triu", {ones}, {{"diagonal", -std::min(before, most)}}));
  const Value both = TRY(s.op("Tril", {upper}, {{"diagonal", std::min(after, most)}}));
  const Value inside = TRY(s.cast(both, DataType::Bool));
  return s.op("SelectV2", {inside, scores, s.scalar(DataType::Float, kLeast)});
}

// attention(query, key, value, shift, mask, scale, heads, key heads, layout, before, after)
//   -> result, largest score, sum of exponents
// Where the mask is not 0 nobody looks, nor beyond `before` and `after` where they are given. Everything is computed in
// float.
Result<Value> attention(Sketch& s, const Values& a) {
  for (size_t i = 0; i < 3; ++i) TRY(need(a[i]));
  const std::string& layout = a[8].text;
  if (layout != "BNSD" && layout != "BSND" && layout != "BSH" && layout != "SBH")
    return invalid("inputLayout \"" + layout + "\" is not supported; BNSD, BSND, BSH and SBH are");
  const int64_t heads = int_at(a, 6), key_heads = int_at(a, 7) > 0 ? int_at(a, 7) : heads;
  if (heads <= 0) return invalid("the number of heads must be above 0");
  const auto headed = [&](const Value& x, int64_t count) -> Result<Value> {
    return s.cast(TRY(to_heads(s, x, layout, count)), DataType::Float);
  };
  const bool joined = layout == "BSH" || layout == "SBH";
  const Value query = TRY(headed(a[0], heads));
  // Without a number of key heads, their size is that of the query's heads.
  const int64_t found =
      joined && int_at(a, 7) <= 0 ? a[1].shape.back() / std::max<int64_t>(query.shape[3], 1) : key_heads;
  const Value key = TRY(repeated(s, TRY(headed(a[1], found)), heads));
  const Value value = TRY(repeated(s, TRY(headed(a[2], found)), heads));
  Value scores = TRY(s.op("BatchMatMulV2", {query, key}, {{"adj_x2", true}}));
  scores = TRY(s.op("Mul", {scores, s.scalar(DataType::Float, real_at(a, 5, 1))}));
  if (a[3].present()) {
    const Value shift = TRY(s.cast(a[3], DataType::Float));
    scores = TRY(s.op("Add", {scores, shift}));
  }
  if (a[4].present()) {
    const Value mask = TRY(s.cast(a[4], DataType::Bool));
    scores = TRY(s.op("SelectV2", {mask, s.scalar(DataType::Float, kLeast), scores}));
    if (scores.rank() != 4 || scores.shape != Shape{query.shape[0], heads, query.shape[2], key.shape[2]})
      return invalid("a mask of shape " + graph::to_text(a[4].shape) + " does not fit the scores");
  }
  if (at(a, 9).present()) scores = TRY(within(s, scores, int_at(a, 9), int_at(a, 10), a[4].present()));
  const Value most = TRY(s.op("ReduceMax", {scores, s.indices({3})}, {{"keep_dims", true}}));
  const Value exponents = TRY(s.op("Exp", {TRY(s.op("Sub", {scores, most}))}));
  const Value sum = TRY(s.op("ReduceSum", {exponents, s.indices({3})}, {{"keep_dims", true}}));
  const Value weights = TRY(s.op("RealDiv", {exponents, sum}));
  const Value made = TRY(from_heads(s, TRY(s.op("BatchMatMulV2", {weights, value})), layout));
  Shape eight = most.shape;  // the original keeps each of these eight times
  eight[3] = 8;
  const Value result = TRY(s.cast(made, a[0].type));
  const Value most_eight = TRY(s.expand(most, eight));
  const Value sum_eight = TRY(s.expand(sum, eight));
  return Value::many({result, most_eight, sum_eight});
}

// only(value, message, numbers...): the value, when all of the rest are absent or 0.
Result<Value> unless(Sketch&, const Values& a) {
  for (size_t i = 2; i < a.size(); ++i)
    if (a[i].present() && (a[i].kind != Value::Kind::Number || a[i].number != 0) &&
        (a[i].kind != Value::Kind::Numbers || !a[i].numbers.empty()))
      return invalid(a[1].text);
  return a[0];
}

constexpr Builtin kRows[] = {{"attention", attention}, {"unless", unless}};

}  // namespace

std::span<const Builtin> attention_builtins() { return kRows; }

}  // namespace belay::operators
