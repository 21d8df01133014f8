// SPDX-License-Identifier: Apache-2.0
// Counts of n-grams: TfIdfVectorizer over integers.
#include <algorithm>
#include <map>

#include "backend/cpu/arguments.h"
#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

using Gram = std::vector<int64_t>;

struct Vectorizer {
  std::map<Gram, size_t> grams;         // to their places in a row of the result
  std::vector<float> weights;           // by place; empty: all 1
  std::string mode;                     // TF, IDF, TFIDF
  size_t shortest, longest, most_skip;  // n-grams of these lengths; so many elements may lie between two of theirs
  size_t width;                         // of a row of the result
};

// The pool holds all 1-grams, then all 2-grams...; ngram_counts says where each kind begins.
Status read_pool(const graph::Node& node, Vectorizer& made) {
  const auto pool = graph::ints_of(node, "pool_int64s"), starts = graph::ints_of(node, "ngram_counts");
  const auto places = graph::ints_of(node, "ngram_indexes");
  const auto weights = graph::get_or(node.attributes, "weights", std::vector<float>{});
  if (!weights.empty() && weights.size() != places.size()) return refuse("weights must be as many as ngram_indexes");
  const int64_t last = places.empty() ? -1 : *std::max_element(places.begin(), places.end());
  constexpr int64_t most = 1 << 28;
  if (last >= most || (!places.empty() && *std::min_element(places.begin(), places.end()) < 0))
    return refuse("ngram_indexes has an index that is outside a row");
  made.width = static_cast<size_t>(last + 1);
  if (!weights.empty()) made.weights.assign(made.width, 0);
  size_t id = 0;
  for (size_t n = 1; n <= starts.size(); ++n) {
    const int64_t begin = starts[n - 1], end = n < starts.size() ? starts[n] : static_cast<int64_t>(pool.size());
    if (begin < 0 || end < begin || end > static_cast<int64_t>(pool.size()) || (end - begin) % static_cast<int64_t>(n))
      return refuse("ngram_counts does not fit the pool");
    for (int64_t at = begin; at < end; at += static_cast<int64_t>(n), ++id) {
      if (id >= places.size()) return refuse("ngram_indexes is shorter than the pool");
      made.grams[Gram(pool.begin() + at, pool.begin() + at + static_cast<int64_t>(n))] =
          static_cast<size_t>(places[id]);
      if (!weights.empty()) made.weights[static_cast<size_t>(places[id])] = weights[id];
    }
  }
  return {};
}

// How often each gram of the pool is in the row.
std::vector<int64_t> count(const Vectorizer& v, const int64_t* row, size_t length) {
  std::vector<int64_t> found(v.width, 0);
  for (size_t n = v.shortest; n <= v.longest; ++n) {
    const size_t most_skip = n == 1 ? 0 : v.most_skip;  // a single element skips nothing
    for (size_t skip = 0; skip <= most_skip; ++skip) {
      const size_t step = skip + 1, span = (n - 1) * step;
      for (size_t begin = 0; begin + span < length; ++begin) {
        Gram gram;
        for (size_t i = 0; i < n; ++i) gram.push_back(row[begin + i * step]);
        if (const auto known = v.grams.find(gram); known != v.grams.end()) ++found[known->second];
      }
    }
  }
  return found;
}

MadeKernel make_tf_idf(const KernelRequest& request) {
  const graph::Node& node = request.node;
  Vectorizer made;
  made.mode = graph::text_of(node, "mode", "TF");
  if (made.mode != "TF" && made.mode != "IDF" && made.mode != "TFIDF") return refuse("mode must be TF, IDF or TFIDF");
  const int64_t shortest = graph::int_of(node, "min_gram_length", 1),
                longest = graph::int_of(node, "max_gram_length", 1);
  const int64_t skip = graph::int_of(node, "max_skip_count", 0);
  constexpr int64_t most = 1 << 20;
  if (shortest < 1 || longest < shortest || longest > most || skip < 0 || skip > most)
    return refuse("min_gram_length, max_gram_length or max_skip_count is out of range");
  made.shortest = static_cast<size_t>(shortest);
  made.longest = static_cast<size_t>(longest);
  made.most_skip = static_cast<size_t>(skip);
  TRY(read_pool(node, made));
  return with_type(TypeList<float, double>{}, request.outputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([v = std::move(made)](Inputs in, Outputs out) -> Status {
      const auto elements = TRY(integers(in[0]));
      const size_t length = in[0].shape.empty() ? 1 : static_cast<size_t>(in[0].shape.back());
      const size_t lines = in[0].shape.size() > 1 ? static_cast<size_t>(in[0].shape[0]) : 1;
      T* to = out[0].as<T>();
      for (size_t line = 0; line < lines; ++line)
        for (size_t place = 0; const int64_t times : count(v, elements.data() + line * length, length)) {
          const T weight = v.weights.empty() ? 1 : v.weights[place];
          const T all = static_cast<T>(times), once = times > 0 ? 1 : 0;
          *to++ = v.mode == "TF" ? all : (v.mode == "IDF" ? once : all) * weight;
          ++place;
        }
      return {};
    });
  });
}

constexpr KernelRow rows[] = {{"TfIdfVectorizer", "reference", make_tf_idf}};

}  // namespace

std::span<const KernelRow> tf_idf_rows() { return rows; }

}  // namespace belay::backend::cpu
