// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/experts/latent_cache.h"

#include <cmath>

#include "backend/cpu/arguments.h"
#include "backend/cpu/rowwise/pairs.h"
#include "backend/cpu/rowwise/whole_row.h"
#include "base/text.h"

namespace belay::backend::cpu {
namespace {

// A cache of rows of `width`: one for each token of a batch, or in blocks.
struct Cache {
  int input, output, rows_output;  // the last: the rows as they are, -1 when nobody asks
  int scale, offset;
  int64_t width, count, size, slice;  // blocks, or batches; rows of each; of NZ the components side by side, else 0
  bool whole;                         // INT8

  void store(const float* row, int64_t block, int64_t at, const std::vector<float>& scales,
             const std::vector<float>& offsets, Outputs out) const {
    Tensor& to = out[static_cast<size_t>(output)];
    const int64_t run = slice > 0 ? slice : width;
    std::vector<float> values(row, row + width);
    const auto number = [&](const std::vector<float>& list, int64_t c, float none) {
      return list.empty() ? none : list[list.size() == 1 ? 0 : static_cast<size_t>(c)];
    };
    for (int64_t c = 0; c < width && whole; ++c) {
      float& value = values[static_cast<size_t>(c)];
      value = nearest_whole(value * number(scales, c, 1) + number(offsets, c, 0));
    }
    for (int64_t p = 0; p < width / run; ++p) {
      const int64_t place = block * size * width + (p * size + at) * run;
      if (whole)
        store_whole(values.data() + p * run, run, to, place);
      else
        write_floats(values.data() + p * run, run, to, place);
    }
  }
};

struct LatentCache {
  Cache rope, latent;
  Pairs pairs;
  int kv, gamma, cos, sin, index;
  int64_t batches, tokens, angles;  // rows of cos for each batch: one, or one for each token
  float eps;
  enum class Mode { Norm, Slots, Blocks } mode;

  // The block of a row and its place there; a negative block: it is skipped.
  std::pair<int64_t, int64_t> place(const std::vector<int64_t>& list, int64_t b, int64_t t) const {
    if (mode == Mode::Norm)
      return {list[static_cast<size_t>(b * tokens + t)] < 0 ? -1 : b, list[static_cast<size_t>(b * tokens + t)]};
    if (mode == Mode::Slots) {
      const int64_t slot = list[static_cast<size_t>(b * tokens + t)];
      return slot < 0 ? std::pair<int64_t, int64_t>{-1, 0} : std::pair{slot / rope.size, slot % rope.size};
    }
    const int64_t each = (tokens + rope.size - 1) / rope.size,
                  slot = list[static_cast<size_t>(b * each + t / rope.size)];
    return slot < 0 ? std::pair<int64_t, int64_t>{-1, 0} : std::pair{slot / rope.size, t % rope.size};
  }

  Status run(Inputs in, Outputs out) const {
    for (const Cache* cache : {&rope, &latent})
      copy_unless_same(in[static_cast<size_t>(cache->input)], out[static_cast<size_t>(cache->output)]);
    const auto list = TRY(integers(in[static_cast<size_t>(index)]));
    const auto gammas = all_floats(in[static_cast<size_t>(gamma)]), cosines = all_floats(in[static_cast<size_t>(cos)]),
               sines = all_floats(in[static_cast<size_t>(sin)]);
    const auto of = [&](int input) { return all_floats(tensor_at(in, input)); };
    const auto rope_scale = of(rope.scale), rope_offset = of(rope.offset), latent_scale = of(latent.scale),
               latent_offset = of(latent.offset);
    const int64_t width = latent.width + rope.width;
    std::vector<float> row(static_cast<size_t>(width)), turned(static_cast<size_t>(rope.width));
    for (int64_t r = 0; r < batches * tokens; ++r) {
      const int64_t b = r / tokens, t = r % tokens;
      read_floats(in[static_cast<size_t>(kv)], r * width, width, row.data());
      double squares = 0;
      for (int64_t c = 0; c < latent.width; ++c)
        squares += static_cast<double>(row[static_cast<size_t>(c)]) * row[static_cast<size_t>(c)];
      const float by = 1 / std::sqrt(static_cast<float>(squares / static_cast<double>(latent.width)) + eps);
      for (int64_t c = 0; c < latent.width; ++c) row[static_cast<size_t>(c)] *= by * gammas[static_cast<size_t>(c)];
      const float* x = row.data() + latent.width;
      const auto angle = static_cast<size_t>((b * angles + (angles > 1 ? t : 0)) * rope.width);
      for (size_t i = 0; i < turned.size(); ++i)
        turned[i] = x[pairs.first[i]] * cosines[angle + i] + pairs.sign[i] * x[pairs.second[i]] * sines[angle + i];
      if (rope.rows_output >= 0)
        write_floats(turned.data(), rope.width, out[static_cast<size_t>(rope.rows_output)], r * rope.width);
      if (latent.rows_output >= 0)
        write_floats(row.data(), latent.width, out[static_cast<size_t>(latent.rows_output)], r * latent.width);
      const auto [block, at] = place(list, b, t);
      if (block < 0) continue;
      if (block >= std::min(rope.count, latent.count) || at >= rope.size)
        return failed("KvRmsNormRopeCache",
                      formatted("index of token {} of sequence {} is outside of the caches", t, b));
      rope.store(turned.data(), block, at, rope_scale, rope_offset, out);
      latent.store(row.data(), block, at, latent_scale, latent_offset, out);
    }
    return {};
  }
};

Result<Cache> read_cache(const WholeCall& call, const char* name, size_t target, int64_t width, const std::string& mode,
                         DataType type) {
  Cache made{call.even_empty(name),
             call.output(target),
             call.flag("tells_rows") ? call.output(target + 2) : -1,
             call.input(std::string(name) + "_scale"),
             call.input(std::string(name) + "_offset"),
             width};
  const auto& info = call.info(made.input);
  const Shape& shape = info.shape;
  made.whole = info.type == DataType::Int8;
  if (shape.size() < 4 || (!made.whole && info.type != type))
    return refuse(formatted("the cache {} is {} {}, which does not fit rows of {} of {}", name,
                            graph::name_of(info.type), graph::to_text(shape), graph::name_of(type), width));
  made.count = shape[0], made.size = mode == "Norm" ? shape[2] : shape[1];
  if (mode.ends_with("NZ")) {
    made.slice = static_cast<int64_t>(256 / graph::bits_of(info.type));
    if (shape.size() == 5) made.size = shape[3];
    if (width % made.slice != 0)
      return refuse(formatted("rows of {} do not divide into slices of {}", width, made.slice));
  }
  if (graph::element_count(shape) != made.count * made.size * width)
    return refuse(
        formatted("the cache {} has shape {}, which does not fit rows of {}", name, graph::to_text(shape), width));
  for (const char* kind : {"_scale", "_offset"}) TRY(check_numbers(call, std::string(name) + kind, {1, width}));
  if (made.rows_output >= 0) {
    const auto& rows = call.result(made.rows_output);
    const auto& kv = call.info(call.even_empty("kv")).shape;
    if (!is_real(rows.type) || graph::element_count(rows.shape) != kv[0] * kv[2] * width)
      return refuse(formatted("the rows for {} must have kv's type and {} components", name, width));
  } else if (call.flag("tells_rows")) {
    return refuse("isOutputKv true needs kRopeOut and cKvOut");
  }
  return made;
}

}  // namespace

MadeKernel make_latent_cache(const KernelRequest& request) {
  const WholeCall call(request);
  TRY(call.absent({"v"}));
  LatentCache op{};
  op.kv = call.even_empty("kv"), op.gamma = call.even_empty("gamma"), op.cos = call.even_empty("cos");
  op.sin = call.even_empty("sin"), op.index = call.even_empty("index");
  op.eps = static_cast<float>(call.real("eps"));
  const auto &kv = call.info(op.kv), &cos = call.info(op.cos);
  if (kv.shape.size() != 4 || kv.shape[1] != 1 || !is_real(kv.type)) return refuse("kv must be [B,1,S,D]");
  TRY(call.all_real({"gamma", "cos", "sin"}));
  if (cos.shape.size() != 4 || cos.shape[1] != 1 || call.info(op.sin).shape != cos.shape)
    return refuse("cos and sin must be [B,1,S or 1,Dk]");
  op.batches = kv.shape[0], op.tokens = kv.shape[2], op.angles = cos.shape[2];
  const int64_t rope = cos.shape[3], latent = graph::element_count(call.info(op.gamma).shape);
  if (latent + rope != kv.shape[3] || cos.shape[0] != op.batches || (op.angles != 1 && op.angles != op.tokens))
    return refuse(formatted("kv {}, gamma [{}] and cos {} do not fit", graph::to_text(kv.shape), latent,
                            graph::to_text(cos.shape)));
  std::string mode = call.text("mode");
  if (mode.empty()) mode = "Norm";
  if (mode != "Norm" && mode != "PA" && mode != "PA_BNSD" && mode != "PA_NZ" && mode != "PA_BLK_BNSD" &&
      mode != "PA_BLK_NZ")
    return refuse(formatted("cacheMode \"{}\" is not known", mode));
  op.mode = mode == "Norm"               ? LatentCache::Mode::Norm
            : mode.starts_with("PA_BLK") ? LatentCache::Mode::Blocks
                                         : LatentCache::Mode::Slots;
  op.rope = TRY(read_cache(call, "rope", 0, rope, mode, kv.type));
  op.latent = TRY(read_cache(call, "latent", 1, latent, mode, kv.type));
  if (op.rope.size != op.latent.size || op.rope.size == 0)
    return refuse("both caches must have blocks of one size, which is not 0");
  op.pairs = TRY(Pairs::of(3, rope));
  const int64_t each = op.mode == LatentCache::Mode::Blocks ? (op.tokens + op.rope.size - 1) / op.rope.size : op.tokens;
  if (graph::element_count(call.info(op.index).shape) != op.batches * each)
    return refuse(formatted("index must have {} elements", op.batches * each));
  return whole_kernel({{static_cast<size_t>(op.rope.output), static_cast<size_t>(op.rope.input)},
                       {static_cast<size_t>(op.latent.output), static_cast<size_t>(op.latent.input)}},
                      [op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

}  // namespace belay::backend::cpu
