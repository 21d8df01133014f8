// SPDX-License-Identifier: Apache-2.0
#include "report/content.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "base/text.h"
#include "base/threads/parallel.h"
#include "blame/executions.h"
#include "compare/opened_pair.h"
#include "compare/rules.h"
#include "inspect/describe.h"
#include "report/verdict.h"

namespace belay::report {
namespace {

using compare::Row;
using compare::SideTensor;

constexpr int64_t kAllCells = 2'400'000;  // of all pictures: a byte each, before they are packed
constexpr int64_t kMostCells = 1 << 16, kLeastCells = 64;
constexpr size_t kMostDetailed = 20000;  // tensors with histograms and pictures

// A tensor of our side, and what was found out about it.
struct Looked {
  const SideTensor* tensor = nullptr;
  const Row* row = nullptr;  // null: it has no partner
  size_t step = 0, op = 0;
  bool detailed = false;
  std::string type, layout, problem;
  graph::Shape shape;
  Digest digest;
  bool read = false;
};

std::string label_of(const SideTensor& tensor) {
  return formatted("{} {}", tensor.input ? "input" : "output", tensor.index);
}

std::string quoted(const std::string& text) {
  if (!text.empty() && text.find_first_of(" '\"$&;|<>()*?[]{}\\#~!`\t\n") == std::string::npos) return text;
  std::string safe = "'";
  for (const char c : text) safe += c == '\'' ? "'\\''" : std::string(1, c);
  return safe + "'";
}

void look(Looked& looked, int64_t cells) {
  const auto pair = [&]() -> Result<compare::OpenedPair> {
    if (looked.row && looked.row->measured) return compare::open_pair(*looked.tensor, *looked.row->truth);
    return compare::OpenedPair{TRY(looked.tensor->open()), nullptr};
  }();
  if (!pair.ok()) {
    looked.problem = pair.status().message;
    return;
  }
  const compare::ElementSource& ours = *(*pair).ours;
  looked.type = compare::type_text(ours.type());
  looked.shape = ours.shape();
  looked.layout = layout_text(*looked.tensor, looked.shape);
  auto made = digest(ours, (*pair).truth.get(), looked.detailed && !looked.tensor->input ? cells : 0);
  if (!made.ok()) {
    looked.problem = made.status().message;
    return;
  }
  looked.digest = std::move(made).value();
  looked.read = true;
}

Json measures_json(const compare::Measures& m) {
  return {{"cosine", real_json(m.cosine)},
          {"euclidean", real_json(m.relative_euclidean)},
          {"maxAbsolute", real_json(m.max_absolute)},
          {"meanAbsolute", real_json(m.mean_absolute)},
          {"rootMeanSquare", real_json(m.root_mean_square)},
          {"maxRelative", real_json(m.max_relative)},
          {"meanRelative", real_json(m.mean_relative)},
          {"maxUlp", real_json(m.max_ulp)},
          {"psnr", real_json(m.psnr)},
          {"different", m.different},
          {"finiteEuclidean", real_json(m.finite_euclidean)}};
}

Json looked_json(const Looked& looked, std::string& bytes) {
  Json json{{"op", looked.op}, {"step", looked.step}, {"label", label_of(*looked.tensor)}};
  if (!looked.problem.empty()) json["problem"] = looked.problem;
  if (looked.type.empty()) return json;
  json["type"] = looked.type;
  json["shape"] = looked.shape;
  if (!looked.layout.empty()) json["layout"] = looked.layout;
  if (const Row* row = looked.row) {
    json["verdict"] = name_of(row->verdict);
    if (!row->reason.empty()) json["reason"] = row->reason;
    json["partner"] = row->truth->op + " " + label_of(*row->truth);
    json["by"] = name_of(row->by);
    if (row->truth_type != row->ours_type) json["truthType"] = compare::type_text(row->truth_type);
    if (row->measured) json["measures"] = measures_json(row->measures);
  }
  if (!looked.read) return json;
  json["count"] = looked.digest.count;
  if (looked.digest.count == 0) return json;  // nothing can be said of no elements
  json["a"] = summary_json(looked.digest.ours);
  if (looked.row && looked.row->measured) json["b"] = summary_json(looked.digest.truth);
  if (looked.detailed) json["detail"] = digest_json(looked.digest, bytes);
  return json;
}

class Gathering {
 public:
  explicit Gathering(const Question& question)
      : question_(question), executions_(blame::executions_of(*question.ours)) {
    for (const blame::Execution& execution : executions_) steps_.try_emplace(execution.place, steps_.size());
    network_ = network_of(question.model, executions_);
  }

  Content make() {
    add_statistics();
    look_at_tensors();
    Content content;
    Json tensors = Json::array();
    for (const Looked& looked : looked_) tensors.push_back(looked_json(looked, content.bytes));
    for (Json& line : lines_) tensors.push_back(std::move(line));
    const std::vector<Group> groups = groups_of(network_);
    content.json = head();
    content.json["operators"] = operators();
    content.json["links"] = links_json(network_);
    content.json["groups"] = groups_json(groups, Layout().lay_out(network_, groups));
    content.json["tensors"] = std::move(tensors);
    return content;
  }

 private:
  // A line for each tensor that only statistics are known of.
  void add_statistics() {
    for (const inspect::FoundDump& found : question_.statistics) {
      const auto lines = inspect::describe(found, 0);
      if (!lines.ok()) {
        problems_.push_back(lines.status().message);
        continue;
      }
      const size_t op = network_.add(found.op_name, found.op_type);
      const size_t step = steps_.try_emplace(found.folder, steps_.size()).first->second;
      for (const inspect::TensorLine& line : *lines) lines_.push_back(line_json(line, op, step));
    }
    network_.link_in_order();
  }

  void look_at_tensors() {
    std::map<const SideTensor*, const Row*> rows;
    if (question_.comparison)
      for (const Row& row : question_.comparison->rows) rows.try_emplace(row.ours, &row);
    const size_t shown = shown_step(rows);
    int64_t pictures = 0;
    size_t detailed = 0;
    for (const blame::Execution& execution : executions_)
      for (const blame::Record& record : execution.records)
        for (const auto* list : {&record.inputs, &record.outputs})
          for (const SideTensor* tensor : *list) {
            if (!tensor) continue;
            Looked looked{.tensor = tensor, .step = steps_.at(execution.place), .op = network_.places.at(record.op)};
            if (const auto row = rows.find(tensor); row != rows.end()) looked.row = row->second;
            looked.detailed = looked.step == shown && detailed < kMostDetailed;
            detailed += looked.detailed;
            pictures += looked.detailed && !tensor->input;
            looked_.push_back(std::move(looked));
          }
    shown_ = shown;
    if (question_.plans) question_.plans(looked_.size());
    const int64_t cells = std::clamp(kAllCells / std::max<int64_t>(pictures, 1), kLeastCells, kMostCells);
    std::mutex mutex;
    parallel_pieces(static_cast<int64_t>(looked_.size()), current_threads(), [&](int64_t piece, int64_t) {
      look(looked_[static_cast<size_t>(piece)], cells);
      std::lock_guard lock(mutex);
      if (question_.advances) question_.advances();
    });
  }

  size_t shown_step(const std::map<const SideTensor*, const Row*>& rows) const {
    for (const blame::Execution& execution : executions_)
      if (question_.step && execution.step == *question_.step) return steps_.at(execution.place);
    if (question_.blame && steps_.count(question_.blame->place)) return steps_.at(question_.blame->place);
    size_t first = SIZE_MAX;
    for (const auto& [tensor, row] : rows)
      if (row->verdict == compare::Verdict::Differ && steps_.count(tensor->place))
        first = std::min(first, steps_.at(tensor->place));
    return first == SIZE_MAX ? 0 : first;
  }

  Json head() const {
    const Verdict verdict = verdict_of(question_);
    Json json{{"version", 1},
              {"verdict", {{"text", verdict.text}, {"more", verdict.more}, {"state", verdict.state}}},
              {"a", question_.ours->name},
              {"sequence", network_.sequence},
              {"shown", shown_}};
    if (const int64_t op = verdict.op.empty() ? -1 : network_.find(verdict.op); op >= 0) json["verdict"]["op"] = op;
    if (question_.comparison) json["b"] = question_.comparison->truth->name;
    if (question_.model) json["model"] = question_.model_path.string();
    Json steps = Json::array();
    for (size_t i = 0; i < steps_.size(); ++i) steps.push_back("");
    for (const auto& [place, at] : steps_) steps[at] = place.string();
    json["steps"] = std::move(steps);
    if (!executions_.empty()) json["replays"] = replays();
    if (question_.blame && steps_.count(question_.blame->place)) json["judged"] = steps_.at(question_.blame->place);
    json["notes"] = notes();
    if (question_.overflow) json["overflows"] = overflows();
    return json;
  }

  // For each step the words that the command to replay an operator of it begins with; "" when it has statistics alone.
  Json replays() const {
    std::vector<std::string> list(steps_.size());
    for (const blame::Execution& execution : executions_)
      list[steps_.at(execution.place)] = "belay replay " + quoted((question_.dump / execution.place).string());
    return list;
  }

  Json notes() const {
    Json notes = Json::array();
    const auto add = [&](const std::vector<std::string>& list) {
      for (const std::string& each : list) notes.push_back(each);
    };
    if (question_.comparison) {
      const compare::Comparison& made = *question_.comparison;
      if (const size_t lonely = made.only_ours.size())
        notes.push_back(formatted("{} tensor{} only in {}.", lonely, lonely == 1 ? " is" : "s are", made.ours->name));
      if (const size_t lonely = made.only_truth.size())
        notes.push_back(formatted("{} tensor{} only in {}.", lonely, lonely == 1 ? " is" : "s are", made.truth->name));
      add(made.problems());
    } else {
      add(question_.ours->problems);
    }
    if (question_.blame) {
      add(question_.blame->mismatches);
      add(question_.blame->notes);
    }
    if (network_.sequence) notes.push_back(kOnlyOrder);
    add(problems_);
    return notes;
  }

  Json overflows() const {
    Json list = Json::array();
    for (const auto& [overflow, chain] : question_.overflow->overflows) {
      const std::string name = !overflow.tensors.empty() ? overflow.tensors[0].line.op_name
                               : overflow.op             ? overflow.op->op_name
                                                         : "";
      const int64_t op = network_.find(name);
      Json entry{{"name", name}, {"place", overflow.found_by.folder.string()}};
      if (op >= 0) entry["op"] = op;
      if (overflow.cause) {
        entry["why"] = overflow.cause->why;
        entry["result"] = formatted("{} {} is {}", overflow.cause->result.tensor, overflow.cause->result.index,
                                    overflow.cause->result.value);
      }
      entry["chain"] = Json::array();
      for (const inspect::ChainLink& link : chain)
        entry["chain"].push_back({link.op_name, link.value.label, real_json(link.value.most)});
      list.push_back(std::move(entry));
    }
    return list;
  }

  Json operators() const {
    Json list = operators_json(network_);
    for (const auto& [name, time] : question_.times)
      if (const int64_t op = network_.find(name); op >= 0) list[static_cast<size_t>(op)]["time"] = time;
    if (executions_.empty()) return list;  // statistics alone: there is nothing to run an operator with
    for (size_t i = 0; i < list.size(); ++i) list[i]["replay"] = replay(network_.operators[i].name);
    if (!question_.blame) return list;
    for (const blame::OperatorReport& op : question_.blame->operators) {
      const int64_t at = network_.find(op.op);
      if (at >= 0) blame_json(op, list[static_cast<size_t>(at)]);
    }
    return list;
  }

  // Behind the place of the execution, which the page puts in front.
  std::string replay(const std::string& op) const {
    std::string command;
    if (question_.model) command += " --model " + quoted(question_.model_path.string());
    return command + " --op " + quoted(op);
  }

  const Question& question_;
  const std::vector<blame::Execution> executions_;
  std::map<std::filesystem::path, size_t> steps_;
  Network network_;
  std::vector<Looked> looked_;
  std::vector<Json> lines_;
  std::vector<std::string> problems_;
  size_t shown_ = 0;
};

}  // namespace

Content gather(const Question& question) { return Gathering(question).make(); }

}  // namespace belay::report
