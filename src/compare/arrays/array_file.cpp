// SPDX-License-Identifier: Apache-2.0
#include "compare/arrays/array_file.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <map>
#include <utility>

#include "base/text.h"
#include "compare/arrays/zip_file.h"

namespace belay::compare {
namespace {

namespace fs = std::filesystem;
using File = std::shared_ptr<const MappedFile>;

Status about(const fs::path& file, const std::string& array, const Status& problem) {
  return {problem.code, formatted("{}{}{}: {}", file.string(), array.empty() ? "" : ", ", array, problem.message)};
}

template <class T>
Result<T> naming(const fs::path& file, const std::string& array, Result<T> result) {
  return result.ok() ? std::move(result) : Result<T>(about(file, array, result.status()));
}

Result<Source> open_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  StoredTensor tensor = TRY(parse_npy(bytes));
  tensor.owner = std::move(owner);
  return make_stored_source(std::move(tensor));
}

// A file as it was when its directory was read: what is read of it later must still be of the same file.
class Listed {
 public:
  static Result<Listed> look_at(const fs::path& path) {
    std::error_code error;
    Listed made;
    made.path_ = path;
    made.written_ = fs::last_write_time(path, error);
    made.file_ = TRY(MappedFile::open(path));
    made.size_ = made.file_->bytes().size();
    return made;
  }
  // Mapped for each reader anew: archives may be more than a process may have mapped.
  Result<File> again() const {
    File file = TRY(MappedFile::open(path_));
    std::error_code error;
    if (file->bytes().size() == size_ && fs::last_write_time(path_, error) == written_) return file;
    return Status{ACL_ERROR_INVALID_FILE, formatted("{} has changed while it was read", path_.string())};
  }
  // Ends the first look.
  File take() { return std::exchange(file_, nullptr); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  fs::file_time_type written_;
  size_t size_ = 0;
  File file_;
};

Result<ArrayFile> npy_file(const fs::path& path) {
  const File mapped = TRY(MappedFile::open(path));
  TRY(naming(path, "", parse_npy(mapped->bytes())));
  return ArrayFile{{{"",
                     [path]() -> Result<Source> {
                       const File file = TRY(MappedFile::open(path));
                       return naming(path, "", open_npy(file->bytes(), file));
                     }}},
                   {}};
}

// `checked`: whether an earlier opening found a stored member whole.
Result<Source> open_member(const Listed& listed, const ZipEntry& entry, std::atomic<bool>& checked) {
  const fs::path& path = listed.path();
  const File file = TRY(listed.again());
  if (entry.deflated) {
    const File unpacked = TRY(naming(path, entry.name, unpack(entry, file->bytes())));
    return naming(path, entry.name, open_npy(unpacked->bytes(), unpacked));
  }
  if (!checked) {
    const Status whole = check_stored(entry, file->bytes());
    if (!whole.ok()) return about(path, "", whole);
    checked = true;
  }
  return naming(path, entry.name, open_npy(file->bytes().subspan(entry.offset, entry.packed), file));
}

Result<ArrayFile> npz_file(const fs::path& path) {
  Listed listed = TRY(Listed::look_at(path));
  const File file = listed.take();
  ArrayFile made;
  std::map<std::string, int> members;
  const auto entries = TRY(naming(path, "", read_zip(file->bytes())));
  for (const ZipEntry& entry : entries) ++members[entry.name];
  for (const auto& [name, count] : members)
    if (count > 1)
      made.problems.push_back(
          formatted("{} has {} members {}: which of them is meant cannot be told", path.string(), count, name));
  for (const ZipEntry& entry : entries) {
    if (!entry.name.ends_with(".npy") || members[entry.name] > 1) continue;
    auto checked = std::make_shared<std::atomic<bool>>(false);
    made.arrays.push_back({entry.name.substr(0, entry.name.size() - 4),
                           [listed, entry, checked] { return open_member(listed, entry, *checked); }});
  }
  return made;
}

Result<ArrayFile> safetensors_file(const fs::path& path) {
  Listed listed = TRY(Listed::look_at(path));
  const File file = listed.take();
  ArrayFile made;
  for (NamedTensor& named : TRY(naming(path, "", parse_safetensors(file->bytes())))) {
    const size_t at = static_cast<size_t>(named.tensor.bytes.data() - file->bytes().data());
    const size_t size = named.tensor.bytes.size();
    named.tensor.bytes = {};
    made.arrays.push_back({named.name, [listed, at, size, named]() -> Result<Source> {
                             const File again = TRY(listed.again());
                             StoredTensor tensor = named.tensor;
                             tensor.bytes = again->bytes().subspan(at, size);
                             tensor.owner = again;
                             return naming(listed.path(), named.name, make_stored_source(std::move(tensor)));
                           }});
  }
  return made;
}

std::string ending_of(const fs::path& file) {
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

}  // namespace

bool is_array_file(const fs::path& file) {
  const std::string ending = ending_of(file);
  return ending == ".npy" || ending == ".npz" || ending == ".safetensors";
}

Result<ArrayFile> read_array_file(const fs::path& file) {
  if (ending_of(file) == ".npz") return npz_file(file);
  if (ending_of(file) == ".safetensors") return safetensors_file(file);
  return npy_file(file);
}

}  // namespace belay::compare
