// SPDX-License-Identifier: Apache-2.0
#include "compare/arrays/array_file.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "compare/arrays/zip_file.h"

namespace belay::compare {
namespace {

namespace fs = std::filesystem;
using Entries = std::vector<ArrayEntry>;
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

Entries npy_entries(const fs::path& path) {
  return {{"", [path]() -> Result<Source> {
             const File file = TRY(MappedFile::open(path));
             return naming(path, "", open_npy(file->bytes(), file));
           }}};
}

Result<Source> open_member(const fs::path& path, const std::string& name) {
  const File file = TRY(MappedFile::open(path));
  for (const ZipEntry& entry : TRY(naming(path, "", read_zip(file->bytes())))) {
    if (entry.name != name) continue;
    if (!entry.deflated) return naming(path, name, open_npy(entry.packed, file));
    const File unpacked = TRY(naming(path, name, unpack(entry)));
    return naming(path, name, open_npy(unpacked->bytes(), unpacked));
  }
  return Status{ACL_ERROR_INVALID_FILE, formatted("{} has changed", path.string())};
}

Result<Entries> npz_entries(const fs::path& path) {
  const File file = TRY(MappedFile::open(path));
  Entries entries;
  for (const ZipEntry& entry : TRY(naming(path, "", read_zip(file->bytes())))) {
    if (!entry.name.ends_with(".npy")) continue;
    entries.push_back(
        {entry.name.substr(0, entry.name.size() - 4), [path, name = entry.name] { return open_member(path, name); }});
  }
  return entries;
}

Result<Source> open_safetensor(const fs::path& path, const std::string& name) {
  const File file = TRY(MappedFile::open(path));
  for (NamedTensor& named : TRY(naming(path, "", parse_safetensors(file->bytes())))) {
    if (named.name != name) continue;
    named.tensor.owner = file;
    return naming(path, name, make_stored_source(std::move(named.tensor)));
  }
  return Status{ACL_ERROR_INVALID_FILE, formatted("{} has changed", path.string())};
}

Result<Entries> safetensors_entries(const fs::path& path) {
  const File file = TRY(MappedFile::open(path));
  Entries entries;
  for (const NamedTensor& named : TRY(naming(path, "", parse_safetensors(file->bytes()))))
    entries.push_back({named.name, [path, name = named.name] { return open_safetensor(path, name); }});
  return entries;
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

Result<Entries> read_array_file(const fs::path& file) {
  if (ending_of(file) == ".npz") return npz_entries(file);
  if (ending_of(file) == ".safetensors") return safetensors_entries(file);
  const File mapped = TRY(MappedFile::open(file));
  TRY(naming(file, "", parse_npy(mapped->bytes())));
  return npy_entries(file);
}

}  // namespace belay::compare
