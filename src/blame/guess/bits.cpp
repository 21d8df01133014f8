// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "blame/guess/guess.h"
#include "inspect/tensor.h"

namespace belay::blame {
namespace {

using graph::DataType;

constexpr size_t kMostFlips = 8;  // more elements than this with one bit flipped in each are no accident

// The recorded elements as bits.
class Bits {
 public:
  static std::optional<Bits> of(const Suspect& suspect) {
    Bits bits;
    bits.type_ = suspect.type;
    bits.each_ = graph::bits_of(suspect.type) / 8;
    const auto source = suspect.ran.record.outputs[suspect.output]->open();
    if (bits.each_ == 0 || bits.each_ > 8 || !source.ok()) return {};
    const auto bytes = bytes_of(**source, bits.bytes_);
    if (!bytes.ok()) return {};
    if ((*bytes).data() != bits.bytes_.data()) bits.bytes_.assign((*bytes).begin(), (*bytes).end());
    return bits;
  }

  size_t width() const { return each_ * 8; }
  uint64_t at(int64_t element) const {
    uint64_t value = 0;
    std::memcpy(&value, bytes_.data() + static_cast<size_t>(element) * each_, each_);
    return value;
  }
  double value(uint64_t bits) const {
    std::vector<std::byte> bytes(each_);
    std::memcpy(bytes.data(), &bits, each_);
    const auto wide = exact::widened(type_, {1}, bytes);
    return wide.ok() ? element_of(*wide, 0) : std::nan("");
  }

 private:
  DataType type_ = DataType::Undefined;
  size_t each_ = 0;
  std::vector<std::byte> bytes_;
};

// The bit that makes the element right when it is inverted.
std::optional<size_t> flipped_bit(const Suspect& suspect, const Bits& bits, int64_t at) {
  for (size_t bit = bits.width(); bit-- > 0;)
    if (suspect.yardstick.fits(bits.value(bits.at(at) ^ (uint64_t{1} << bit)), at)) return bit;
  return {};
}

std::string flips(const Suspect& suspect, const Bits& bits) {
  if (suspect.wrong.size() > kMostFlips) return "";
  std::string text;
  for (const int64_t at : suspect.wrong) {
    const auto bit = flipped_bit(suspect, bits, at);
    if (!bit) return "";
    text += (text.empty() ? "" : ", ") +
            formatted("bit {} of element {} is flipped", *bit, inspect::index_text(suspect.expected.value.shape, at));
  }
  return text;
}

// A bit that has one value in every element, and that makes all wrong ones right when it has the other.
std::string stuck(const Suspect& suspect, const Bits& bits) {
  uint64_t all = ~uint64_t{0}, none = ~uint64_t{0};
  for (int64_t at = 0; at < suspect.got.count(); ++at) all &= bits.at(at), none &= ~bits.at(at);
  for (size_t bit = 0; bit < bits.width(); ++bit) {
    const uint64_t mask = uint64_t{1} << bit;
    if (!((all | none) & mask)) continue;
    const bool fits = std::ranges::all_of(
        suspect.wrong, [&](int64_t at) { return suspect.yardstick.fits(bits.value(bits.at(at) ^ mask), at); });
    if (fits) return formatted("bit {} is stuck at {} in every element", bit, all & mask ? 1 : 0);
  }
  return "";
}

std::string inverted(const Suspect& suspect, const Bits& bits) {
  const uint64_t mask = bits.width() == 64 ? ~uint64_t{0} : (uint64_t{1} << bits.width()) - 1;
  const bool fits = std::ranges::all_of(
      suspect.wrong, [&](int64_t at) { return suspect.yardstick.fits(bits.value(bits.at(at) ^ mask), at); });
  return fits ? formatted("all bits of {} elements are inverted", suspect.wrong.size()) : "";
}

}  // namespace

std::string guess_bits(const Suspect& suspect) {
  const auto bits = Bits::of(suspect);
  if (!bits || suspect.wrong.empty()) return "";
  if (suspect.wrong.size() == 1)
    if (std::string text = flips(suspect, *bits); !text.empty()) return text;
  if (std::string text = stuck(suspect, *bits); !text.empty()) return text;
  if (std::string text = flips(suspect, *bits); !text.empty()) return text;
  return inverted(suspect, *bits);
}

}  // namespace belay::blame
