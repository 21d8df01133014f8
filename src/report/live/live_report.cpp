// SPDX-License-Identifier: Apache-2.0
#include "report/live/live_report.h"

#include <algorithm>

#include "base/text.h"
#include "blame/blame.h"
#include "dump/format/record_reader.h"
#include "inspect/describe.h"
#include "report/page.h"
#include "report/verdict.h"

namespace belay::report {
namespace {

using Clock = std::chrono::steady_clock;
using Stamp = LiveReport::Stamp;
constexpr std::chrono::seconds kPatience{20};  // of a page that waits for news
constexpr std::chrono::seconds kRecently{5};   // who asked within it still looks
constexpr std::chrono::seconds kOver{3};       // an execution that nothing was added to for so long is over
constexpr size_t kAtOnce = 20000;              // tensors that a page is told at a time: it stays usable meanwhile
constexpr int64_t kCells = 1 << 16;
constexpr int kRestAfterWork = 10;  // times as long as drawing took, until it is done again

bool is_input(const inspect::TensorLine& line) { return line.label.starts_with("input"); }

bool is_finite(const inspect::TensorLine& line) {
  return std::ranges::none_of(line.statistics, [](const auto& item) {
    return (item.first == "nan" || item.first == "-inf" || item.first == "+inf") && item.second != "0";
  });
}

// What of a file changes while it is being written: its size and its time; nothing when it is gone.
Stamp stamp_of(const std::filesystem::path& file) {
  std::error_code gone;
  const auto size = std::filesystem::file_size(file, gone);
  const auto time = std::filesystem::last_write_time(file, gone);
  return gone ? Stamp() : Stamp({size, time});
}

std::string joined(const std::vector<std::string>& list, size_t first, size_t last) {
  std::string text = "[";
  for (size_t i = first; i < last; ++i) text += (i > first ? "," : "") + list[i];
  return text + "]";
}

}  // namespace

LiveReport::LiveReport(std::filesystem::path folder, std::shared_ptr<const graph::Model> model,
                       std::filesystem::path model_path)
    : folder_(std::move(folder)), model_path_(std::move(model_path)), model_(std::move(model)) {
  if (!model_) return;
  network_ = network_of(model_.get(), {});
  for (const Json& op : operators_json(network_)) operators_.push_back(page_text(op));
}

bool LiveReport::look() {
  const auto found = inspect::find_dumps({folder_});
  bool any = false;
  if (found.ok())
    for (const inspect::FoundDump& each : (*found).files) {
      if (released_) break;
      any |= take_if_new(each);
    }
  std::vector<inspect::FoundDump> waiting = std::exchange(waiting_, {});
  if (!found.ok()) waiting.clear();  // the folder is gone
  for (const inspect::FoundDump& each : waiting) take_overflow(each, (*found).files);
  if (Clock::now() >= next_drawing_) draw();
  if (!any && !released_) examine_one();
  return any;
}

// A file that is being copied can be seen before it is whole: what cannot be read is tried again when it has changed,
// and a table of statistics, which may end after any row, is read when it has rested for a look.
bool LiveReport::take_if_new(const inspect::FoundDump& found) {
  const auto [entry, first] = known_.try_emplace(found.path);
  Seen& seen = entry->second;
  if (seen.taken) return false;
  const Stamp stamp = stamp_of(found.path);
  const bool rests = seen.stamp == stamp;
  seen.stamp = stamp;
  const bool wait = found.statistics && !ending_;
  if (wait ? !rests || seen.tried == stamp : !first && rests) return false;
  seen.tried = stamp;
  const Status taken = take(found);
  seen.taken = taken.ok();
  std::lock_guard lock(mutex_);
  if (taken.ok() ? damaged_.erase(found.path) > 0 : true) changed();
  if (!taken.ok()) damaged_[found.path] = taken.message;
  return true;
}

Status LiveReport::take(const inspect::FoundDump& found) {
  if (found.op_type == "Opdebug") {
    waiting_.push_back(found);
    return {};
  }
  const auto lines = inspect::describe(found, 0);
  if (!lines.ok()) return lines.status();
  std::vector<std::pair<uint64_t, bool>> addresses;  // of inputs, then of outputs
  if (!found.statistics)
    if (const auto dump = dump::read_dump(found.path); dump.ok()) {
      for (const dump::TensorEntry& entry : (*dump).header.inputs) addresses.emplace_back(entry.address, true);
      for (const dump::TensorEntry& entry : (*dump).header.outputs) addresses.emplace_back(entry.address, false);
    }
  const std::string name = (*lines).empty() ? found.op_name : (*lines)[0].op_name;
  executions_.try_emplace(found.folder, false);
  latest_ = found.folder;
  taken_ = Clock::now();
  const bool outputs_finite =
      std::ranges::all_of(*lines, [](const auto& line) { return is_input(line) || is_finite(line); });
  const bool inputs_finite =
      std::ranges::all_of(*lines, [](const auto& line) { return !is_input(line) || is_finite(line); });
  // Where the inputs were not dumped only the first is known to be one: those after it may have it from there.
  const bool inputs_known = std::ranges::any_of(*lines, is_input);
  std::optional<inspect::Overflow> overflow;
  if (!outputs_finite && inputs_finite && found.op_type != "Data" &&
      (inputs_known || not_finite_.insert(found.folder).second))
    if (auto told = inspect::overflow_of(found); told.ok()) overflow = std::move(told).value();

  std::lock_guard lock(mutex_);
  const size_t known = network_.operators.size(), op = network_.add(name, found.op_type);
  if (op == known) operators_.push_back(page_text(Json{{"name", name}, {"type", found.op_type}}));
  const auto [step, fresh] = step_of_.try_emplace(found.folder, steps_.size());
  if (fresh) steps_.push_back(found.folder.string());
  with_tensors_.insert(op);
  if (!model_) link(addresses, op);
  for (const inspect::TensorLine& line : *lines) {
    tensors_.push_back(page_text(line_json(line, op, step->second)));
    places_.push_back({found.statistics ? std::filesystem::path() : found.path, is_input(line),
                       parse_number(std::string_view(line.label).substr(line.label.find(' ') + 1)).value_or(0)});
  }
  if (overflow) overflow_.overflows.push_back({std::move(*overflow), {}});
  changed();
  return {};
}

// An input is what was last written at its address.
void LiveReport::link(const std::vector<std::pair<uint64_t, bool>>& addresses, size_t op) {
  size_t index = 0;
  for (size_t i = 0; i < addresses.size(); ++i, ++index) {
    const auto& [address, input] = addresses[i];
    if (i > 0 && addresses[i - 1].second != input) index = 0;
    if (address == 0) continue;
    if (!input) {
      written_[address] = {op, index};
      continue;
    }
    const auto found = written_.find(address);
    if (found == written_.end() || found->second.first >= op) continue;
    if (linked_.emplace(found->second.first, op).second)
      network_.links.push_back({found->second.first, op, found->second.second, index});
  }
}

void LiveReport::take_overflow(const inspect::FoundDump& found, const std::vector<inspect::FoundDump>& dumps) {
  auto told = inspect::read_overflow(found, dumps);
  if (told.ok() && !(*told).op) return waiting_.push_back(found);  // its file may still come
  std::lock_guard lock(mutex_);
  if (!told.ok()) {
    notes_.push_back(told.status().message);
    return changed();
  }
  const std::filesystem::path file = (*told).op->path;
  const bool known = std::ranges::any_of(
      overflow_.overflows, [&](const auto& entry) { return entry.overflow.op && entry.overflow.op->path == file; });
  if (!known) overflow_.overflows.push_back({std::move(told).value(), {}});
  changed();
}

// One execution that is over and has not been examined, until somebody is guilty.
void LiveReport::examine_one() {
  if (!model_ || (blame_ && blame_->anyone_guilty())) return;
  const bool quiet = ending_ || Clock::now() - taken_ > kOver;
  const auto next = std::ranges::find_if(
      executions_, [&](const auto& each) { return !each.second && (quiet || each.first != latest_); });
  if (next == executions_.end()) return;
  next->second = true;
  const auto side = compare::open_side(folder_ / next->first);
  if (!side.ok()) return;  // statistics alone
  blame::Question question{.side = &*side, .model = model_};
  question.plans = [](size_t) {};
  question.advances = [] {};
  auto report = blame::examine(question);
  std::lock_guard lock(mutex_);
  if (report.ok()) {
    blame_ = std::move(report).value();
    blame_->place = next->first;
  } else {
    notes_.push_back(report.status().message);
  }
  changed();
}

// The groups and where they are, when there is more to draw than before.
void LiveReport::draw() {
  Network network;
  {
    std::lock_guard lock(mutex_);
    if (network_.operators.size() == drawn_operators_ && network_.links.size() == drawn_links_) return;
    network = network_;
  }
  const auto begin = Clock::now();
  drawn_operators_ = network.operators.size();
  drawn_links_ = network.links.size();
  network.link_in_order();
  const std::vector<Group> groups = groups_of(network);
  Json json{{"sequence", network.sequence},
            {"links", links_json(network)},
            {"groups", groups_json(groups, layout_.lay_out(network, groups))}};
  std::string text = page_text(json);
  next_drawing_ = Clock::now() + kRestAfterWork * (Clock::now() - begin);
  std::lock_guard lock(mutex_);
  sequence_ = network.sequence;
  drawing_json_ = std::move(text);
  ++drawing_;
  changed();
}

void LiveReport::end() {
  ending_ = true;
  while (look() && !released_) {
  }
  while (!released_ && std::ranges::any_of(executions_, [](const auto& each) { return !each.second; }) && model_ &&
         !(blame_ && blame_->anyone_guilty()))
    examine_one();
  draw();
  std::lock_guard lock(mutex_);
  ended_ = true;
  changed();
}

void LiveReport::release() {
  released_ = true;
  change_.notify_all();
}

void LiveReport::changed() {
  ++revision_;
  change_.notify_all();
}

// What is known so far: nothing is called good before the end, or while something could not be read or judged.
Verdict LiveReport::verdict() const {
  const auto counted = [](size_t count, const char* thing) {
    return formatted("{} {}{}", count, thing, count == 1 ? "" : "s");
  };
  const compare::Side side{.name = folder_.string()};
  if (blame_ && blame_->anyone_guilty()) return verdict_of({.ours = &side, .blame = &*blame_, .overflow = &overflow_});
  const std::string held = formatted("{} of {}{}", counted(tensors_.size(), "tensor"),
                                     counted(with_tensors_.size(), "operator"), ended_ ? "" : " so far");
  const bool whole = ended_ && notes_.empty() && damaged_.empty() && !tensors_.empty();
  Verdict verdict{.text = held + "; nothing overflowed.", .state = whole ? "good" : "unknown"};
  if (!overflow_.overflows.empty()) {
    verdict = overflowed(overflow_);
    verdict.more += (verdict.more.empty() || verdict.more.ends_with(' ') ? "" : " ") + held + ".";
  }
  if (!model_) return verdict;
  Verdict judged;
  if (blame_) judged = nobody_guilty(*blame_);
  if (!blame_ && ended_) judged.text = "No operator could be judged: there are no tensors of a whole execution.";
  if (judged.state != "good" && verdict.state == "good") verdict.state = "unknown";
  for (const std::string& text : {judged.text, judged.more})
    if (!text.empty()) verdict.more += (verdict.more.empty() ? "" : " ") + text;
  return verdict;
}

Json LiveReport::verdict_json() const {
  const Verdict verdict = this->verdict();
  Json json{{"text", verdict.text}, {"more", verdict.more}, {"state", verdict.state}};
  if (const int64_t op = verdict.op.empty() ? -1 : network_.find(verdict.op); op >= 0) json["op"] = op;
  return json;
}

Json LiveReport::notes() const {
  Json list = notes_;
  for (const auto& [file, why] : damaged_) list.push_back(why);
  if (sequence_) list.push_back(kOnlyOrder);
  return list;
}

std::string LiveReport::news(const Known& known) {
  std::unique_lock lock(mutex_);
  change_.wait_for(lock, kPatience, [&] { return revision_ != known.revision || released_.load(); });
  const size_t first = std::min(known.tensors, tensors_.size()), last = std::min(tensors_.size(), first + kAtOnce);
  const bool all = last == tensors_.size();
  Json head{{"revision", all ? revision_ : 0},
            {"a", folder_.string()},
            {"verdict", verdict_json()},
            {"steps", steps_},
            {"notes", notes()},
            {"drawing", drawing_},
            {"ended", ended_ && all},
            {"examined", Json::array()}};
  if (model_) head["model"] = model_path_.string();
  if (blame_ && step_of_.count(blame_->place)) head["judged"] = step_of_.at(blame_->place);
  if (blame_)
    for (const blame::OperatorReport& op : blame_->operators)
      if (const int64_t at = network_.find(op.op); at >= 0) {
        Json entry{{"op", at}};
        blame_json(op, entry);
        head["examined"].push_back(std::move(entry));
      }
  if (ended_ && all) told_end_ = Clock::now();
  if (!(ended_ && all)) told_before_ = Clock::now();
  std::string text = page_text(head);
  text.pop_back();
  text += ",\"operators\":" + joined(operators_, std::min(known.operators, operators_.size()), operators_.size());
  text += ",\"tensors\":" + joined(tensors_, first, last);
  if (known.drawing != drawing_) text += ",\"drawn\":" + drawing_json_;
  return text + "}";
}

std::string LiveReport::detail(size_t tensor) const {
  Place place;
  {
    std::lock_guard lock(mutex_);
    if (tensor >= places_.size()) throw std::out_of_range("there is no such tensor");
    place = places_[tensor];
  }
  Content content{.json = nullptr};
  if (place.file.empty()) return packed(content);
  const auto side = compare::open_side(place.file);
  if (!side.ok()) throw std::runtime_error(side.status().message);
  for (const compare::SideTensor& each : (*side).tensors) {
    if (each.input != place.input || each.index != place.index) continue;
    const auto source = each.open();
    if (!source.ok()) throw std::runtime_error(source.status().message);
    const auto made = digest(**source, nullptr, kCells);
    if (!made.ok()) throw std::runtime_error(made.status().message);
    content.json = digest_json(*made, content.bytes);
  }
  return packed(content);
}

bool LiveReport::everybody_knows() const {
  std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  const bool somebody_looks = now - told_before_ < kRecently;
  return !somebody_looks || told_end_ > told_before_;
}

}  // namespace belay::report
