// SPDX-License-Identifier: Apache-2.0
#include "commands/dump_page.h"

#include <optional>
#include <set>

#include "base/files/atomic_file.h"
#include "commands/blame_inputs.h"
#include "commands/progress.h"
#include "commands/say.h"
#include "report/page.h"

namespace belay::tools {

void write_page(report::Question question, const std::filesystem::path& out) {
  if (!report::has_page()) or_throw(report::live_page());  // before all the work
  std::optional<Progress> progress;
  question.plans = [&](size_t total) { progress.emplace("looking", total); };
  question.advances = [&] { progress->advance(); };
  const std::string page = or_throw(report::page_with(report::gather(question)));
  progress.reset();
  if (const Status written = write_file(out, page); !written.ok()) throw std::runtime_error(written.message);
  complain("%s: %.2f MiB\n", out.string(), static_cast<double>(page.size()) / (1 << 20));
}

void write_dump_page(const std::vector<std::filesystem::path>& dumps,
                     const std::function<bool(const inspect::FoundDump&)>& wanted,
                     const inspect::OverflowReport* overflow, const std::filesystem::path& out) {
  compare::Side side;
  report::Question question{.overflow = overflow};
  for (const std::filesystem::path& path : dumps) {
    const auto place = [&](const std::filesystem::path& folder) { return dumps.size() > 1 ? path / folder : folder; };
    side.name += (side.name.empty() ? "" : ", ") + path.string();
    std::set<std::filesystem::path> files;
    inspect::DumpTree tree = or_throw(inspect::find_dumps({path}));
    for (inspect::FoundDump& found : tree.files) {
      if (!wanted(found)) continue;
      files.insert(found.path);
      found.folder = place(found.folder);
      if (found.statistics) question.statistics.push_back(std::move(found));
    }
    auto opened = compare::open_side(path);
    if (!opened.ok()) continue;  // statistics alone
    compare::Side tensors = std::move(opened).value();
    side.problems.insert(side.problems.end(), tensors.problems.begin(), tensors.problems.end());
    for (compare::SideTensor& tensor : tensors.tensors) {
      if (!files.count(tensor.file)) continue;
      tensor.place = place(tensor.place);
      side.tensors.push_back(std::move(tensor));
    }
  }
  question.ours = &side;
  question.dump = dumps.size() == 1 ? dumps[0] : std::filesystem::path();
  write_page(std::move(question), out);
}

}  // namespace belay::tools
