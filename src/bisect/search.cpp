// SPDX-License-Identifier: Apache-2.0
#include "bisect/search.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>

namespace belay::bisect {
namespace {

class Search {
 public:
  Search(const Passes& passes, const std::function<void(size_t)>& told) : ask_(passes), told_(told) {}

  Result<bool> passes(const Kept& kept) {
    if (const auto known = known_.find(kept); known != known_.end()) return known->second;
    const bool result = TRY(ask_(kept));
    known_.emplace(kept, result);
    return result;
  }
  void decide(size_t more) { told_(decided_ += more); }

  // What of `choice` is needed beside `base`; `grown`: base has grown since it was last known to fail.
  Result<Kept> needed(const Kept& base, bool grown, std::span<const size_t> choice) {
    if (grown && TRY(passes(base))) return decide(choice.size()), Kept{};
    if (choice.size() == 1) return decide(1), Kept{choice.front()};
    const auto front = choice.first(choice.size() / 2), back = choice.subspan(choice.size() / 2);
    const Kept late = TRY(needed(joined(base, front), true, back));
    Kept early = TRY(needed(joined(base, late), !late.empty(), front));
    early.insert(late.begin(), late.end());
    return early;
  }

  // Takes members away, the least suspicious first, until none can be.
  Result<Kept> reduced(Kept kept) {
    for (bool changed = true; changed;) {
      changed = false;
      const std::vector<size_t> members(kept.rbegin(), kept.rend());
      for (const size_t member : members) {
        Kept fewer = kept;
        fewer.erase(member);
        if (fewer.empty() || !TRY(passes(fewer))) continue;
        kept = std::move(fewer);
        changed = true;
      }
    }
    return kept;
  }

 private:
  template <class Members>
  static Kept joined(Kept set, const Members& more) {
    set.insert(more.begin(), more.end());
    return set;
  }

  const Passes& ask_;
  const std::function<void(size_t)>& told_;
  std::map<Kept, bool> known_;
  size_t decided_ = 0;
};

Kept first_ones(size_t count) {
  Kept kept;
  for (size_t i = 0; i < count; ++i) kept.insert(kept.end(), i);
  return kept;
}

}  // namespace

Result<Kept> least_set(size_t count, const Passes& passes, const std::function<void(size_t)>& decided) {
  Search search(passes, decided);
  size_t enough = 1;
  while (enough < count && !TRY(search.passes(first_ones(enough)))) enough = std::min(enough * 2, count);
  search.decide(count - enough);
  const Kept all = first_ones(enough);
  const std::vector<size_t> choice(all.begin(), all.end());
  Kept kept = TRY(search.needed({}, false, choice));
  if (kept.size() < enough && !TRY(search.passes(kept))) kept = all;
  return search.reduced(std::move(kept));
}

}  // namespace belay::bisect
