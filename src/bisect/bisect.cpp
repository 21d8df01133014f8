// SPDX-License-Identifier: Apache-2.0
#include "bisect/bisect.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

#include "base/text.h"
#include "bisect/search.h"

namespace belay::bisect {
namespace {

class Bisection {
 public:
  explicit Bisection(const Question& question)
      : question_(question),
        limits_(limits_for(question)),
        network_(question.model, question.inputs, question.narrow, question.threads) {}

  Result<Answer> run(const std::function<void(size_t, size_t)>& progress) {
    TRY(compare_float());
    answer_.operators = operators_.size();
    if (!all_pass(answer_.in_float)) return answer_.kind = Answer::Kind::NeverPasses, answer_;
    answer_.in_narrow = TRY(trial({}));
    if (all_pass(answer_.in_narrow)) return answer_;
    answer_.kind = Answer::Kind::Found;
    order();
    const auto decided = [&](size_t done) { progress(done, operators_.size()); };
    const Kept kept = TRY(least_set(
        operators_.size(), [&](const Kept& set) { return passes(set); }, decided));
    TRY(explain(kept));
    answer_.black = TRY(black_list());
    return answer_;
  }

 private:
  Status compare_float() {
    operators_ = TRY(network_.operators());
    const auto results = TRY(network_.run_float());
    ++answer_.trials;
    truth_ = question_.truth;
    if (truth_.empty()) std::ranges::transform(results, std::back_inserter(truth_), truth_of);
    if (truth_.size() != results.size())
      return {ACL_ERROR_PARSE_FILE,
              formatted("the model has {} outputs; {} are given to compare with", results.size(), truth_.size())};
    answer_.in_float = TRY(distances(results));
    return {};
  }

  Result<std::vector<Distance>> distances(const std::vector<Array>& results) const {
    std::vector<Distance> all;
    for (size_t i = 0; i < results.size(); ++i) all.push_back(TRY(distance(results[i], *truth_[i], limits_)));
    return all;
  }

  Result<std::vector<Distance>> trial(const Kept& kept) {
    if (const auto known = tried_.find(kept); known != tried_.end()) return known->second;
    std::vector<std::string> names;
    for (const size_t place : kept) names.push_back(operators_[order_[place]].name);
    auto result = TRY(distances(TRY(network_.run_narrow(names))));
    ++answer_.trials;
    return tried_[kept] = std::move(result);
  }

  Result<bool> passes(const Kept& kept) { return all_pass(TRY(trial(kept))); }

  // The most sensitive first.
  void order() {
    order_.resize(operators_.size());
    std::iota(order_.begin(), order_.end(), 0);
    scores_.assign(operators_.size(), 0);
    auto scores = network_.sensitivity(operators_);
    if (!scores.ok()) {
      answer_.ordered = false;
      answer_.unordered = scores.status().message;
      return;
    }
    ++answer_.trials;
    scores_ = *scores;
    std::ranges::stable_sort(order_, std::ranges::greater{}, [this](size_t i) { return scores_[i]; });
  }

  // That the list passes, and that it fails without any one of it.
  Status explain(const Kept& kept) {
    answer_.found = TRY(trial(kept));
    if (!all_pass(answer_.found))
      return {ACL_ERROR_INTERNAL_ERROR, "the model passes in float32, but not with every operator kept in float32"};
    for (const size_t place : kept) {
      Kept fewer = kept;
      fewer.erase(place);
      auto without = TRY(trial(fewer));
      answer_.needed.push_back({operators_[order_[place]], scores_[order_[place]], std::move(without)});
    }
    const auto position = [this](const Needed& needed) {
      return std::ranges::find(operators_, needed.op.name, &Operator::name) - operators_.begin();
    };
    std::ranges::sort(answer_.needed, {}, position);
    return {};
  }

  Result<std::optional<std::vector<std::string>>> black_list() {
    std::vector<std::string> types;
    for (const Needed& needed : answer_.needed)
      for (const auto& type : needed.op.types)
        if (std::ranges::find(types, type) == types.end()) types.push_back(type);
    for (const auto& black : {std::vector<std::string>{}, types}) {
      ++answer_.trials;
      if (all_pass(TRY(distances(TRY(network_.run_mixed(black)))))) return std::optional(black);
    }
    return std::optional<std::vector<std::string>>();
  }

  const Question& question_;
  const compare::Limits limits_;
  const Network network_;
  Answer answer_;
  std::vector<Operator> operators_;
  std::vector<size_t> order_;  // places in operators_
  std::vector<double> scores_;
  std::vector<Truth> truth_;
  std::map<Kept, std::vector<Distance>> tried_;
};

}  // namespace

compare::Limits limits_for(const Question& question) {
  if (!question.limits.empty()) return question.limits;
  const auto narrow = question.narrow == Narrow::Half ? graph::DataType::Float16 : graph::DataType::BFloat16;
  return compare::usual_limits(narrow, narrow);
}

Result<Answer> bisect(const Question& question, const std::function<void(size_t, size_t)>& progress) {
  return Bisection(question).run(progress);
}

}  // namespace belay::bisect
