// SPDX-License-Identifier: Apache-2.0
// The text form of AIPP settings.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/text.h"
#include "convert/atc/aipp.h"

namespace belay::convert {
namespace {

enum class Kind { Int, Float, Bool, Word };

struct Field {
  Kind kind;
  graph::Attribute fallback;
};

using Fields = std::map<std::string, Field, std::less<>>;

void add_numbered(Fields& fields, const std::string& stem, int count, Kind kind, const graph::Attribute& fallback) {
  for (int i = 0; i < count; ++i) fields[stem + std::to_string(i)] = {kind, fallback};
}

const Fields& known_fields() {
  static const auto& all = *[] {
    auto* made = new Fields{
        {"aipp_mode", {Kind::Word, "undefined"}},  {"input_format", {Kind::Word, "undefined"}},
        {"related_input_rank", {Kind::Int, 0}},    {"related_input_name", {Kind::Word, ""}},
        {"input_edge_idx", {Kind::Int, 0}},        {"max_src_image_size", {Kind::Int, 0}},
        {"csc_switch", {Kind::Bool, false}},       {"rbuv_swap_switch", {Kind::Bool, false}},
        {"ax_swap_switch", {Kind::Bool, false}},   {"single_line_mode", {Kind::Bool, false}},
        {"support_rotation", {Kind::Bool, false}}, {"src_image_size_w", {Kind::Int, 0}},
        {"src_image_size_h", {Kind::Int, 0}},      {"crop", {Kind::Bool, false}},
        {"load_start_pos_w", {Kind::Int, 0}},      {"load_start_pos_h", {Kind::Int, 0}},
        {"crop_size_w", {Kind::Int, 0}},           {"crop_size_h", {Kind::Int, 0}},
        {"resize", {Kind::Bool, false}},           {"resize_output_w", {Kind::Int, 0}},
        {"resize_output_h", {Kind::Int, 0}},       {"padding", {Kind::Bool, false}},
        {"left_padding_size", {Kind::Int, 0}},     {"right_padding_size", {Kind::Int, 0}},
        {"top_padding_size", {Kind::Int, 0}},      {"bottom_padding_size", {Kind::Int, 0}},
        {"padding_value", {Kind::Float, 0.0f}},    {"cpadding_value", {Kind::Float, 0.0f}},
    };
    Fields& fields = *made;
    add_numbered(fields, "mean_chn_", 4, Kind::Float, 0.0f);
    add_numbered(fields, "min_chn_", 4, Kind::Float, 0.0f);
    add_numbered(fields, "var_reci_chn_", 4, Kind::Float, 1.0f);
    for (int row = 0; row < 3; ++row) add_numbered(fields, formatted("matrix_r{}c", row), 3, Kind::Int, 0);
    add_numbered(fields, "input_bias_", 3, Kind::Int, 0);
    add_numbered(fields, "output_bias_", 3, Kind::Int, 0);
    return made;
  }();
  return all;
}

AippConfig defaults() {
  AippConfig config;
  for (const auto& [name, field] : known_fields()) config[name] = field.fallback;
  return config;
}

// Words, numbers and the signs { } : of a text; strings in quotes come without them.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // Empty at the end.
  std::string next() {
    skip_blanks();
    if (at_ == text_.size()) return "";
    const char first = text_[at_];
    if (first == '"' || first == '\'') return quoted(first);
    if (signs.find(first) != std::string_view::npos) return std::string(1, text_[at_++]);
    const size_t start = at_;
    while (at_ < text_.size() && stops.find(text_[at_]) == std::string_view::npos) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }
  int line() const { return line_; }

 private:
  static constexpr std::string_view signs = "{}:", stops = "{}: \t\r\n#;,\"'";

  void skip_blanks() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        if (at_ == text_.size()) return;
      } else if (c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != ';' && c != ',') {
        return;
      }
      line_ += text_[at_] == '\n';
    }
  }

  std::string quoted(char quote) {
    const size_t end = text_.find(quote, at_ + 1);
    const size_t stop = std::min(end, text_.size());
    std::string word(text_.substr(at_ + 1, stop - at_ - 1));
    at_ = std::min(stop + 1, text_.size());
    return word;
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : scanner_(text) {}

  Result<std::vector<AippConfig>> run() {
    std::vector<AippConfig> configs;
    for (std::string word = scanner_.next(); !word.empty(); word = scanner_.next()) {
      if (word != "aipp_op") return wrong(formatted("\"{}\" where aipp_op must stand", word));
      std::string open = scanner_.next();
      if (open == ":") open = scanner_.next();
      if (open != "{") return wrong("{ must follow aipp_op");
      configs.push_back(TRY(block()));
    }
    return configs;
  }

 private:
  Status wrong(std::string_view why) const {
    return {ACL_ERROR_INVALID_PARAM, formatted("--insert_op_conf, line {}: {}", scanner_.line(), why), "E10001"};
  }

  Result<AippConfig> block() {
    AippConfig config = defaults();
    for (;;) {
      const std::string name = scanner_.next();
      if (name == "}") return config;
      if (name.empty()) return wrong("} is missing");
      const auto field = known_fields().find(name);
      if (field == known_fields().end()) return wrong("there is no field " + name);
      if (scanner_.next() != ":") return wrong(": must follow " + name);
      config[name] = TRY(value(name, field->second.kind, scanner_.next()));
    }
  }

  Result<graph::Attribute> value(const std::string& name, Kind kind, const std::string& text) const {
    char* end = nullptr;
    switch (kind) {
      case Kind::Word:
        return graph::Attribute(text);
      case Kind::Bool:
        if (text == "true" || text == "1") return graph::Attribute(true);
        if (text == "false" || text == "0") return graph::Attribute(false);
        break;
      case Kind::Int: {
        const int64_t number = std::strtoll(text.c_str(), &end, 10);
        if (!text.empty() && *end == 0) return graph::Attribute(number);
        break;
      }
      case Kind::Float: {
        const float number = std::strtof(text.c_str(), &end);
        if (!text.empty() && *end == 0) return graph::Attribute(number);
        break;
      }
    }
    return wrong(formatted("{} cannot be \"{}\"", name, text));
  }

  Scanner scanner_;
};

}  // namespace

Result<std::vector<AippConfig>> parse_aipp(std::string_view text) { return Parser(text).run(); }

}  // namespace belay::convert
