// SPDX-License-Identifier: Apache-2.0
#include "operators/recipe.h"

#include <cctype>
#include <cstdlib>

namespace belay::operators {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<std::vector<Statement>> statements() {
    std::vector<Statement> all;
    do {
      all.push_back(TRY(statement()));
    } while (take(';'));
    if (skip(); at_ != text_.size()) return error("the end");
    return all;
  }

 private:
  Result<Statement> statement() {
    Statement made;
    do {
      made.targets.push_back(TRY(name()));
      if (take('?')) made.targets.back() += '?';
    } while (take(','));
    if (!take('=')) return error("=");
    made.value = TRY(expression());
    return made;
  }

  Result<Expression> expression() {
    skip();
    if (at_ == text_.size()) return error("an expression");
    if (take('\'')) return quoted();
    if (take('[')) {
      Expression list{Expression::Kind::List};
      TRY(items(list, ']'));
      return list;
    }
    const char first = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(first)) || first == '-') return number();
    std::string called = TRY(name());
    Expression made{Expression::Kind::Name, std::move(called)};
    if (!take('(')) return made;
    made.kind = Expression::Kind::Call;
    TRY(items(made, ')'));
    return made;
  }

  Status items(Expression& into, char end) {
    if (take(end)) return {};
    do {
      const size_t start = at_;
      if (auto option = name(); option.ok() && take(':')) {
        std::string key = std::move(option).value();
        into.options.emplace_back(std::move(key), TRY(expression()));
      } else {
        at_ = start;
        into.items.push_back(TRY(expression()));
      }
    } while (take(','));
    return take(end) ? Status{} : error(std::string(1, end));
  }

  Result<Expression> quoted() {
    const size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) return error("'");
    Expression made{Expression::Kind::Text, std::string(text_.substr(at_, end - at_))};
    at_ = end + 1;
    return made;
  }

  Result<Expression> number() {
    const std::string rest(text_.substr(at_));
    char* end = nullptr;
    Expression made{Expression::Kind::Number};
    made.number = std::strtod(rest.c_str(), &end);
    const auto length = static_cast<size_t>(end - rest.c_str());
    if (length == 0) return error("a number");
    made.real = rest.substr(0, length).find_first_of(".eE") != std::string::npos;
    at_ += length;
    return made;
  }

  Result<std::string> name() {
    skip();
    const size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    if (at_ == start || std::isdigit(static_cast<unsigned char>(text_[start]))) return error("a name");
    return std::string(text_.substr(start, at_ - start));
  }

  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char wanted) {
    skip();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  Status error(const std::string& expected) const {
    return {ACL_ERROR_INTERNAL_ERROR,
            "recipe \"" + std::string(text_) + "\": " + expected + " expected at character " + std::to_string(at_ + 1)};
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<std::vector<Statement>> parse_recipe(std::string_view text) { return Parser(text).statements(); }

}  // namespace belay::operators
