// SPDX-License-Identifier: Apache-2.0
// One layer of a language model as plain aclnn calls: rms norm, rotary positions, grouped-query attention with a cache
// of keys and values, SwiGlu. A prompt, then one token after the other.
//
//   attention DIRECTORY TYPE HIDDEN HEADS KEY_HEADS HEAD_SIZE INNER PROMPT STEPS
//
// TYPE is float32, float16 or bfloat16. Weights, tokens and the table of angles are files of the directory; what comes
// out is written to its file `result`.
#include <cmath>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_flash_attention_score.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v2.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rotary_position_embedding.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "engine.h"

namespace {

constexpr double kEpsilon = 1e-5;

struct Sizes {
  int64_t hidden, heads, key_heads, head, inner, prompt, steps;
  int64_t tokens() const { return prompt + steps; }
  int64_t row() const { return (heads + 2 * key_heads) * head; }  // of queries, keys and values
};

class Layer {
 public:
  Layer(Engine& engine, aclDataType type, const Sizes& sizes)
      : e_(engine),
        type_(type),
        s_(sizes),
        norm1_(e_.weight("norm1", type, {s_.hidden})),
        norm2_(e_.weight("norm2", type, {s_.hidden})),
        in_(e_.weight("in", type, {s_.row(), s_.hidden})),
        out_(e_.weight("out", type, {s_.hidden, s_.heads * s_.head})),
        gate_up_(e_.weight("gate_up", type, {2 * s_.inner, s_.hidden})),
        down_(e_.weight("down", type, {s_.hidden, s_.inner})),
        cos_(e_.weight("cos", type, {1, s_.tokens(), 1, s_.head})),
        sin_(e_.weight("sin", type, {1, s_.tokens(), 1, s_.head})),
        keys_(e_.weight("", type, {1, s_.tokens(), s_.key_heads, s_.head})),
        values_(e_.weight("", type, {1, s_.tokens(), s_.key_heads, s_.head})),
        masks_(e_.weight("mask", ACL_BOOL, {s_.tokens(), s_.tokens()})) {
    const float one = 1;
    one_ = aclCreateScalar(const_cast<float*>(&one), ACL_FLOAT);
  }
  ~Layer() { aclDestroyScalar(one_); }

  // Tokens [begin, begin + count), which take the place of what comes out.
  void run(const View& x, int64_t begin) {
    const int64_t count = x.shape[0];
    const Block attended = attend(x, begin);
    const Block projected = e_.block(type_, {count, s_.hidden});
    CALL(e_, aclnnMatmul, Tensor(attended->as({count, s_.heads * s_.head})), Tensor(out_.turned()), Tensor(*projected),
         int8_t{0});
    const Block normed = e_.block(type_, {count, s_.hidden}), rstd = e_.block(ACL_FLOAT, {count, 1});
    // The sum takes the place of the projection.
    CALL(e_, aclnnAddRmsNorm, Tensor(*projected), Tensor(x), Tensor(norm2_), kEpsilon, Tensor(*normed), Tensor(*rstd),
         Tensor(*projected));
    feed_forward(*normed, x);
    CALL(e_, aclnnInplaceAdd, Tensor(x), Tensor(*projected), one_);
  }

 private:
  Block attend(const View& x, int64_t begin) {
    const int64_t count = x.shape[0];
    const Block all = e_.block(type_, {1, count, s_.row()});
    {
      const Block normed = e_.block(type_, {count, s_.hidden}), rstd = e_.block(ACL_FLOAT, {count, 1});
      CALL(e_, aclnnRmsNorm, Tensor(x), Tensor(norm1_), kEpsilon, Tensor(*normed), Tensor(*rstd));
      CALL(e_, aclnnMatmul, Tensor(*normed), Tensor(in_.turned()), Tensor(all->as({count, s_.row()})), int8_t{0});
    }
    const View heads{type_,
                     {1, count, s_.heads + 2 * s_.key_heads, s_.head},
                     {count * s_.row(), s_.row(), s_.head, 1},
                     0,
                     all->memory};
    const View key = heads.part(2, s_.heads, s_.key_heads),
               value = heads.part(2, s_.heads + s_.key_heads, s_.key_heads);
    const View cos = cos_.part(1, begin, count), sin = sin_.part(1, begin, count);
    const Block query = e_.block(type_, {1, count, s_.heads, s_.head});
    CALL(e_, aclnnRotaryPositionEmbedding, Tensor(heads.part(2, 0, s_.heads)), Tensor(cos), Tensor(sin), int64_t{0},
         Tensor(*query));
    CALL(e_, aclnnRotaryPositionEmbedding, Tensor(key), Tensor(cos), Tensor(sin), int64_t{0},
         Tensor(keys_.part(1, begin, count)));
    CALL(e_, aclnnInplaceCopy, Tensor(values_.part(1, begin, count)), Tensor(value));
    Block made = e_.block(type_, {1, count, s_.heads, s_.head});
    const View past_keys = keys_.part(1, 0, begin + count), past_values = values_.part(1, 0, begin + count);
    const View mask = masks_.part(0, begin, count).part(1, 0, begin + count);
    const double scale = 1 / std::sqrt(static_cast<double>(s_.head));
    if (type_ == ACL_FLOAT)
      attend_in_float(*query, past_keys, past_values, mask, scale, *made);
    else
      attend_in_half(*query, past_keys, past_values, mask, scale, *made);
    return made;
  }

  void attend_in_float(const View& query, const View& keys, const View& values, const View& mask, double scale,
                       const View& out) {
    const Block most = e_.block(ACL_FLOAT, {1, s_.heads, query.shape[1], 8}),
                sum = e_.block(ACL_FLOAT, {1, s_.heads, query.shape[1], 8});
    char layout[] = "BSND";
    aclTensor* none = nullptr;
    CALL(e_, aclnnFlashAttentionScore, Tensor(query), Tensor(keys), Tensor(values), none, none, none, Tensor(mask),
         static_cast<aclIntArray*>(nullptr), scale, 1.0, int64_t{65535}, int64_t{65535}, s_.heads,
         static_cast<char*>(layout), int64_t{0}, int64_t{0}, Tensor(*most), Tensor(*sum), none, Tensor(out));
  }

  void attend_in_half(const View& query, const View& keys, const View& values, const View& mask, double scale,
                      const View& out) {
    char layout[] = "BSND";
    aclTensor* none = nullptr;
    aclIntArray* lengths = nullptr;
    CALL(e_, aclnnFusedInferAttentionScoreV2, Tensor(query), List(keys), List(values), none, Tensor(mask), lengths,
         lengths, none, none, none, none, none, none, none, none, none, none, none, none, none, none, none, none,
         lengths, s_.heads, scale, int64_t{65535}, int64_t{65535}, static_cast<char*>(layout), s_.key_heads, int64_t{0},
         int64_t{0}, int64_t{0}, int64_t{0}, false, int64_t{0}, int64_t{0}, Tensor(out), none);
  }

  void feed_forward(const View& normed, const View& out) {
    const int64_t count = normed.shape[0];
    const Block wide = e_.block(type_, {count, 2 * s_.inner}), gated = e_.block(type_, {count, s_.inner});
    CALL(e_, aclnnMatmul, Tensor(normed), Tensor(gate_up_.turned()), Tensor(*wide), int8_t{0});
    CALL(e_, aclnnSwiGlu, Tensor(*wide), int64_t{-1}, Tensor(*gated));
    CALL(e_, aclnnMatmul, Tensor(*gated), Tensor(down_.turned()), Tensor(out), int8_t{0});
  }

  Engine& e_;
  const aclDataType type_;
  const Sizes s_;
  const View norm1_, norm2_, in_, out_, gate_up_, down_, cos_, sin_, keys_, values_, masks_;
  aclScalar* one_ = nullptr;
};

}  // namespace

int main(int count, char** words) {
  if (count != 10)
    return std::fprintf(stderr, "attention DIRECTORY TYPE HIDDEN HEADS KEY_HEADS HEAD_SIZE INNER PROMPT STEPS\n"), 2;
  const auto number = [&](int i) { return std::atoll(words[i]); };
  const aclDataType type = type_named(words[2]);
  const Sizes sizes{number(3), number(4), number(5), number(6), number(7), number(8), number(9)};
  Engine engine(words[1], size_t{4} << 20);
  {
    Layer layer(engine, type, sizes);
    const std::vector<char> tokens = engine.contents("tokens");
    std::vector<char> result(tokens.size());
    const size_t row = bytes_of(type, sizes.hidden);
    for (int64_t begin = 0; begin < sizes.tokens();) {
      const int64_t taken = begin == 0 ? sizes.prompt : 1;
      const Block x = engine.block(type, {taken, sizes.hidden});
      engine.to_device(*x, tokens.data() + static_cast<size_t>(begin) * row);
      layer.run(*x, begin);
      engine.to_host(result.data() + static_cast<size_t>(begin) * row, *x);
      begin += taken;
    }
    engine.synchronize();
    engine.write("result", result.data(), result.size());
  }
  std::printf("%d aclnn calls\n", engine.calls());
  return 0;
}
