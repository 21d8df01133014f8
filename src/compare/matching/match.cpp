// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/closest.h"
#include "base/text.h"
#include "compare/matching.h"
#include "compare/matching/first_member.h"
#include "compare/matching/places.h"
#include "compare/matching/tensor_index.h"
#include "dump/format/names.h"

namespace belay::compare {
namespace {

// Letters against letters, for the nearest of all that are unmatched: about a second.
constexpr size_t kMostCompared = size_t{1} << 29;

struct Candidates {
  std::vector<size_t> tensors;
  std::optional<MatchedBy> by;  // nothing: the names say it
};

class Matcher {
 public:
  Matcher(const TensorIndex& ours, const TensorIndex& truth, bool inputs)
      : ours_(ours),
        truth_(truth),
        places_(ours.side(), truth.side()),
        inputs_(inputs),
        used_(truth.side().tensors.size()) {
    if (!inputs) return;
    members_.emplace(ours.side(), truth.side());
    for (size_t at = 0; at < truth.side().tensors.size(); ++at)
      if (const std::string first = first_member(truth, at); !first.empty()) begin_with_[first].push_back(at);
  }

  Matching run() {
    const bool files = is_one_operator(ours_.side()) && is_one_operator(truth_.side());
    for (size_t at = 0; at < ours_.side().tensors.size(); ++at) {
      if (ours_.tensor(at).input && !inputs_) continue;
      auto found = partner(at);
      if (!found && files) found = by_place_in_file(at);
      if (found) {
        used_[found->truth] = true;
        matching_.pairs.push_back(*found);
      } else {
        matching_.ours.push_back(lonely(ours_, at, truth_));
      }
    }
    for (size_t at = 0; at < used_.size(); ++at)
      if (!used_[at] && (inputs_ || !truth_.tensor(at).input)) matching_.truth.push_back(lonely(truth_, at, ours_));
    return std::move(matching_);
  }

 private:
  // One file, named by the user, with the tensors of one operator or one array.
  static bool is_one_operator(const Side& side) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(side.name, ignored) &&
           std::ranges::all_of(side.tensors, [&](const SideTensor& tensor) { return tensor.op == side.tensors[0].op; });
  }

  std::optional<Pair> by_place_in_file(size_t at) const {
    const SideTensor& tensor = ours_.tensor(at);
    for (size_t truth = 0; truth < used_.size(); ++truth)
      if (truth_.tensor(truth).input == tensor.input && truth_.tensor(truth).index == tensor.index)
        return Pair{at, truth, MatchedBy::File};
    return {};
  }

  std::vector<size_t> in_partner_places(const std::vector<size_t>& tensors, size_t ours) const {
    const auto& places = places_.partners(ours_.tensor(ours).place);
    std::vector<size_t> here;
    std::ranges::copy_if(tensors, std::back_inserter(here),
                         [&](size_t at) { return std::ranges::find(places, truth_.tensor(at).place) != places.end(); });
    return here;
  }

  // Two operators of one name may have swallowed different ones: then the name alone proves nothing.
  bool names_agree(size_t ours, size_t truth) const {
    const Identity &a = ours_.identity(ours), &b = truth_.identity(truth);
    if (a.told && b.told) return false;
    const auto harmless = [](const TensorIndex& index, size_t at) {
      const Identity& identity = index.identity(at);
      return identity.by == MatchedBy::Name || name_is_made_of_members(index.tensor(at), identity);
    };
    return harmless(ours_, ours) && harmless(truth_, truth);
  }

  Candidates candidates(size_t at) const {
    const SideTensor& tensor = ours_.tensor(at);
    const Origin& value = ours_.identity(at).value;
    const std::string own = own_name(tensor), name = value.name == tensor.op ? own : dump::mangled(value.name);
    if (auto same = in_partner_places(truth_.by_value(name, tensor.input, value.index), at); !same.empty())
      return {std::move(same)};
    auto named = in_partner_places(truth_.by_name(own, tensor.input, tensor.index), at);
    std::erase_if(named, [&](size_t truth) { return !names_agree(at, truth); });
    if (!named.empty()) return {std::move(named)};
    if (tensor.input) return {of_the_first_member(at), MatchedBy::Origin};
    if (auto read = in_partner_places(truth_.by_reading(name, value.index), at); !read.empty())
      return {std::move(read), MatchedBy::TensorName};
    for (const Origin& reading : readings_of(tensor)) {
      const std::string op = dump::mangled(reading.name);
      auto same = in_partner_places(truth_.by_value(op, false, reading.index), at);
      if (same.empty()) same = in_partner_places(truth_.by_reading(op, reading.index), at);
      if (!same.empty()) return {std::move(same), MatchedBy::TensorName};
    }
    return {};
  }

  // "" for what is not the first input of a fused operator.
  std::string first_member(const TensorIndex& side, size_t at) const {
    const SideTensor& tensor = side.tensor(at);
    return tensor.input && tensor.index == 0 ? members_->of(tensor, side.fusion()) : "";
  }

  // An operator's first input is that of one that begins with it by fusion, and the other way round.
  std::vector<size_t> of_the_first_member(size_t at) const {
    const SideTensor& tensor = ours_.tensor(at);
    if (tensor.index != 0) return {};
    const std::string first = first_member(ours_, at), name = first.empty() ? dump::mangled(tensor.op) : first;
    if (auto plain = in_partner_places(truth_.by_name(name, true, 0), at); !plain.empty()) return plain;
    const auto fused = begin_with_.find(name);
    return fused == begin_with_.end() ? std::vector<size_t>() : in_partner_places(fused->second, at);
  }

  std::optional<Pair> partner(size_t at) const {
    const SideTensor& tensor = ours_.tensor(at);
    if (places_.partners(tensor.place).empty()) return {};
    Candidates found = candidates(at);
    drop_doubtful(at, found.tensors);
    std::erase_if(found.tensors, [&](size_t truth) { return truth_.repetition(truth) != ours_.repetition(at); });
    if (found.tensors.empty()) return {};
    const size_t best = *std::ranges::max_element(found.tensors, {}, [&](size_t truth) { return likeness(at, truth); });
    if (is_inserted(tensor) && !carries_value(at, best)) return {};
    return Pair{at, best, found.by ? *found.by : reason_for(at, best)};
  }

  // Names that are equal only once they are mangled.
  static bool only_look_alike(const std::string& a, const std::string& b) {
    return a != b && dump::mangled(a) == dump::mangled(b);
  }

  bool has_exact_partner(size_t ours) const {
    const size_t index = ours_.identity(ours).value.index;
    return !in_partner_places(truth_.by_exact_value(ours_.exact_value(ours), ours_.tensor(ours).input, index), ours)
                .empty();
  }

  // Mangled names prove something only among those that have no partner of their exact name, and only when one name on
  // each side is left: with two, either may be the other side's.
  void drop_doubtful(size_t at, std::vector<size_t>& found) const {
    const std::string name = ours_.exact_value(at);
    const auto looks_alike = [&](size_t truth) { return only_look_alike(name, truth_.exact_value(truth)); };
    if (std::ranges::none_of(found, looks_alike)) return;
    const SideTensor& tensor = ours_.tensor(at);
    const bool exact = has_exact_partner(at);
    const auto here = [&](size_t other) { return ours_.tensor(other).place == tensor.place; };
    std::erase_if(found, [&](size_t truth) {
      const auto& same =
          ours_.by_exact_value(truth_.exact_value(truth), tensor.input, truth_.identity(truth).value.index);
      return looks_alike(truth) && (exact || std::ranges::any_of(same, here));
    });
    if (exact || found.empty()) return;
    const std::string first = truth_.exact_value(found[0]);
    const auto& rivals = ours_.by_value(dump::mangled(name), tensor.input, ours_.identity(at).value.index);
    if (std::ranges::any_of(found, [&](size_t truth) { return only_look_alike(first, truth_.exact_value(truth)); }) ||
        std::ranges::any_of(rivals, [&](size_t other) {
          return here(other) && only_look_alike(name, ours_.exact_value(other)) && !has_exact_partner(other);
        }))
      found.clear();
  }

  // An inserted operator has the name of the one whose value it changes, or of the one that it feeds.
  bool carries_value(size_t ours, size_t truth) const {
    return ours_.carries(ours) || truth_.tensor(truth).op_type == "Data" ||
           truth_.tensor(truth).op == ours_.tensor(ours).op;
  }

  int likeness(size_t ours, size_t truth) const {
    const SideTensor &a = ours_.tensor(ours), &b = truth_.tensor(truth);
    return (a.op == b.op ? 8 : 0) + (ours_.identity(ours).value.name == b.op ? 4 : 0) + (is_inserted(b) ? 0 : 2) +
           (a.op_type == b.op_type ? 1 : 0);
  }

  MatchedBy reason_for(size_t ours, size_t truth) const {
    if (own_name(ours_.tensor(ours)) != own_name(truth_.tensor(truth)))
      for (const MatchedBy by : {ours_.identity(ours).by, truth_.identity(truth).by})
        if (by != MatchedBy::Name) return by;
    return ours_.tensor(ours).mapped || truth_.tensor(truth).mapped ? MatchedBy::Mapping : MatchedBy::Name;
  }

  Unmatched lonely(const TensorIndex& here, size_t at, const TensorIndex& there) {
    const SideTensor& tensor = here.tensor(at);
    Unmatched found{at, reason(here, at, there), ""};
    found.nearest = nearest(here.identity(at).value.name, there);
    if (found.nearest.empty() && here.identity(at).value.name != tensor.op) found.nearest = nearest(tensor.op, there);
    return found;
  }

  std::string nearest(const std::string& name, const TensorIndex& there) {
    compared_ += name.size() * there.letters();
    if (compared_ > kMostCompared) return "";
    return std::string(closest_name(name, there.names()));
  }

  std::string reason(const TensorIndex& here, size_t at, const TensorIndex& there) const {
    const SideTensor& tensor = here.tensor(at);
    const bool has_place =
        &here == &ours_ ? !places_.partners(tensor.place).empty() : places_.has_partner_of_truth(tensor.place);
    if (!has_place) return places_.reason(tensor.place);
    const Identity& identity = here.identity(at);
    const std::string value = identity.value.name, own = own_name(tensor);
    if (is_inserted(tensor))
      return formatted("the compiler inserted it at {}; it is no value of the model itself", value);
    const auto runs = there.by_value(dump::mangled(value), tensor.input, identity.value.index).size();
    if (runs > 0 && here.repetition(at) > 0)
      return formatted("it ran {} times before in this place; there {} runs of {} are known in all",
                       here.repetition(at), runs, value);
    if (const auto& alike = there.by_name(own, tensor.input, tensor.index);
        !alike.empty() && only_look_alike(here.exact_value(at), there.exact_value(alike[0])))
      return formatted("{} there is called the same in file names, but an exact name goes first, or several fit",
                       there.tensor(alike[0]).op);
    if (!there.by_name(own, tensor.input, tensor.index).empty())
      return formatted("{} is there, but it is another value: here it is {}, there {}", tensor.op, value,
                       there.identity(there.by_name(own, tensor.input, tensor.index)[0]).value.name);
    if (!there.by_name(own, tensor.input, 0).empty())
      return formatted("{} has no {} {} there", tensor.op, tensor.input ? "input" : "output", tensor.index);
    if (const int64_t fused = there.swallowed(value); fused >= 0) {
      const auto into = static_cast<size_t>(fused);
      return formatted("{} was fused there into {}, whose result is {}", value, there.tensor(into).op,
                       there.identity(into).value.name);
    }
    if (identity.by != MatchedBy::Name)
      return formatted("it is the value of {}, which the other side has not dumped", value);
    return formatted("nothing on the other side is called {}", tensor.op);
  }

  const TensorIndex &ours_, &truth_;
  const PlacePairs places_;
  const bool inputs_;
  std::optional<FirstMembers> members_;                              // when inputs are paired
  std::unordered_map<std::string, std::vector<size_t>> begin_with_;  // inputs of the truth, by the first member
  std::vector<bool> used_;
  size_t compared_ = 0;
  Matching matching_;
};

}  // namespace

const char* name_of(MatchedBy by) {
  static constexpr const char* names[] = {"name", "origin", "fusion", "mapping", "tensor name", "file"};
  return names[static_cast<size_t>(by)];
}

Result<Matching> match(const Side& ours, const Side& truth, const MatchOptions& options) {
  FusionMap our_fusion, truth_fusion;
  if (!options.ours_fusion.empty()) our_fusion = TRY(read_fusion_json(options.ours_fusion));
  if (!options.truth_fusion.empty()) truth_fusion = TRY(read_fusion_json(options.truth_fusion));
  const TensorIndex here(ours, our_fusion), there(truth, truth_fusion);
  return Matcher(here, there, options.inputs).run();
}

}  // namespace belay::compare
