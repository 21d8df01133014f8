// SPDX-License-Identifier: Apache-2.0
#include "graph/infer/einsum_plan.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "base/text.h"

namespace belay::graph {
namespace {

constexpr std::string_view kDots = "...";

Status wrong(const std::string& why) { return {ACL_ERROR_PARSE_MODEL, "the equation " + why}; }

// One side of a comma: letters before "...", and after it.
struct Term {
  std::string before, after;
  bool dots = false;
  std::string letters() const { return before + after; }
};

Result<Term> parse_term(std::string_view text) {
  Term term;
  const size_t at = text.find(kDots);
  term.dots = at != std::string_view::npos;
  term.before = text.substr(0, at);
  if (term.dots) term.after = text.substr(at + kDots.size());
  for (const char letter : term.letters())
    if (!std::isalpha(static_cast<unsigned char>(letter)))
      return wrong(formatted("has '{}', which is not a letter", std::string(1, letter)));
  return term;
}

Result<std::vector<Term>> parse_operands(std::string_view text) {
  std::vector<Term> terms;
  for (size_t at = 0;;) {
    const size_t comma = std::min(text.find(',', at), text.size());
    terms.push_back(TRY(parse_term(text.substr(at, comma - at))));
    if (comma == text.size()) return terms;
    at = comma + 1;
  }
}

// What numpy takes for the result when the equation does not say.
Term implied_result(const std::vector<Term>& operands) {
  std::map<char, int> uses;
  Term result;
  for (const Term& term : operands) {
    result.dots |= term.dots;
    for (const char letter : term.letters()) ++uses[letter];
  }
  for (const auto& [letter, count] : uses)
    if (count == 1) result.after += letter;
  return result;
}

class Labels {
 public:
  int of_letter(char letter) { return number(letter); }
  // `from_end`: 0 is the last dimension behind "...".
  int of_dots(size_t from_end) { return number(1000 + static_cast<int>(from_end)); }
  size_t count() const { return numbers_.size(); }

 private:
  int number(int key) { return numbers_.try_emplace(key, static_cast<int>(numbers_.size())).first->second; }
  std::map<int, int> numbers_;
};

std::vector<int> number_dimensions(const Term& term, size_t dots, Labels& labels) {
  std::vector<int> numbers;
  for (const char letter : term.before) numbers.push_back(labels.of_letter(letter));
  for (size_t i = 0; i < dots; ++i) numbers.push_back(labels.of_dots(dots - 1 - i));
  for (const char letter : term.after) numbers.push_back(labels.of_letter(letter));
  return numbers;
}

Status take_sizes(EinsumPlan& plan, std::span<const Shape> shapes, size_t labels) {
  plan.sizes.assign(labels, 1);
  for (size_t operand = 0; operand < shapes.size(); ++operand)
    for (size_t d = 0; d < shapes[operand].size(); ++d) {
      int64_t& size = plan.sizes[static_cast<size_t>(plan.operands[operand][d])];
      const int64_t here = shapes[operand][d];
      if (size == 1 || (size < 0 && here >= 0 && here != 1)) size = here;
      if (here >= 0 && size >= 0 && here != 1 && here != size)
        return wrong(formatted("gives dimension {} of operand {} the size {}, but it is {}", d, operand, size, here));
    }
  return {};
}

}  // namespace

Shape EinsumPlan::result_shape() const {
  Shape shape;
  for (const int label : result) shape.push_back(sizes[static_cast<size_t>(label)]);
  return shape;
}

Result<EinsumPlan> plan_einsum(std::string_view equation, std::span<const Shape> shapes) {
  std::string text(equation);
  text.erase(std::remove_if(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c); }), text.end());
  const size_t arrow = text.find("->");
  const auto terms = TRY(parse_operands(std::string_view(text).substr(0, arrow)));
  const Term result =
      arrow == std::string::npos ? implied_result(terms) : TRY(parse_term(std::string_view(text).substr(arrow + 2)));
  if (terms.size() != shapes.size())
    return wrong(formatted("has {} operands, the operator {}", terms.size(), shapes.size()));

  EinsumPlan plan;
  Labels labels;
  size_t most_dots = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    const size_t letters = terms[i].letters().size(), rank = shapes[i].size();
    if (rank < letters || (rank > letters && !terms[i].dots))
      return wrong(formatted("has {} letters for operand {} of rank {}", letters, i, rank));
    most_dots = std::max(most_dots, rank - letters);
    plan.operands.push_back(number_dimensions(terms[i], rank - letters, labels));
  }
  const size_t known = labels.count();
  plan.result = number_dimensions(result, result.dots ? most_dots : 0, labels);
  if (labels.count() != known) return wrong("has a letter in its result that no operand has");
  auto sorted = plan.result;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return wrong("has a letter twice in its result");
  TRY(take_sizes(plan, shapes, labels.count()));
  return plan;
}

}  // namespace belay::graph
