// SPDX-License-Identifier: Apache-2.0
#include "base/endings/loaded_file.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace belay {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const char* path) : fd_(open(path, O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (fd_ >= 0) close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  // As many bytes as there are, from where the last call ended.
  size_t read_on(char* to, size_t room) const {
    ssize_t got = -1;
    do got = read(fd_, to, room);
    while (got < 0 && errno == EINTR);
    return got < 0 ? 0 : static_cast<size_t>(got);
  }
  size_t read_at(uintptr_t offset, void* to, size_t bytes) const {
    const ssize_t got = pread(fd_, to, bytes, static_cast<off_t>(offset));
    return got < 0 ? 0 : static_cast<size_t>(got);
  }

 private:
  int fd_;
};

// The process's own memory: what cannot be read is an error and no crash.
class Memory {
 public:
  bool get(uintptr_t address, void* to, size_t bytes) const { return file_.read_at(address, to, bytes) == bytes; }
  template <class T>
  bool get(uintptr_t address, T& value) const {
    return get(address, &value, sizeof value);
  }
  // A text, as much of it as there is room for.
  void text(uintptr_t address, char* to, size_t room) const { to[file_.read_at(address, to, room - 1)] = '\0'; }

 private:
  OpenFile file_{"/proc/self/mem"};
};

// A line of /proc/self/maps.
struct Mapping {
  uintptr_t start = 0, end = 0, offset = 0;
  const char* path = "";
};

bool parse(char* line, Mapping& made) {
  char* at = line;
  made.start = strtoull(at, &at, 16);
  if (*at != '-') return false;
  made.end = strtoull(at + 1, &at, 16);
  const auto skip_word = [&] {
    at += strspn(at, " ");
    at += strcspn(at, " ");
  };
  skip_word();  // permissions
  made.offset = strtoull(at, &at, 16);
  skip_word();  // device
  skip_word();  // inode
  made.path = at + strspn(at, " ");
  return true;
}

// Calls see(Mapping) for every mapping until it returns false.
template <class See>
void for_each_mapping(See see) {
  const OpenFile file("/proc/self/maps");
  static std::array<char, 8192> text;
  size_t filled = 0;
  while (const size_t got = file.read_on(text.data() + filled, text.size() - filled)) {
    filled += got;
    char* line = text.data();
    char* const end = text.data() + filled;
    for (char* stop; (stop = std::find(line, end, '\n')) != end; line = stop + 1) {
      *stop = '\0';
      Mapping mapping;
      if (parse(line, mapping) && !see(mapping)) return;
    }
    filled = static_cast<size_t>(end - line);
    if (filled == text.size()) filled = 0;  // longer than any path
    std::memmove(text.data(), line, filled);
  }
}

void find_mappings(uintptr_t address, LoadedFile& found) {
  bool hit = false;
  for_each_mapping([&](const Mapping& mapping) {
    if (hit) {
      if (mapping.start != found.end || strcmp(mapping.path, found.path) != 0) return false;
      found.end = mapping.end;
      return true;
    }
    if (mapping.start > address) return false;
    if (!*mapping.path) return true;
    if (mapping.offset == 0) {
      found.start = mapping.start;
      (void)snprintf(found.path, sizeof found.path, "%s", mapping.path);
    }
    found.end = mapping.end;
    hit = address < mapping.end && strncmp(mapping.path, found.path, sizeof found.path - 1) == 0;
    return true;
  });
  if (!hit) found.start = found.end = 0;
}

// The symbols of GNU's hash table: it has the number of the last one.
size_t count_symbols(const Memory& memory, uintptr_t table) {
  struct {
    uint32_t buckets, first, bloom, shift;
  } header{};
  if (!memory.get(table, header)) return 0;
  const uintptr_t buckets = table + sizeof header + header.bloom * sizeof(ElfW(Addr));
  const uintptr_t chains = buckets + uintptr_t{header.buckets} * 4;
  uint32_t last = 0, number = 0;
  for (uint32_t i = 0; i < header.buckets; ++i)
    if (memory.get(buckets + uintptr_t{i} * 4, number)) last = std::max(last, number);
  if (last < header.first) return header.first;
  for (uint32_t hash = 0; !(hash & 1); ++last)
    if (!memory.get(chains + uintptr_t{last - header.first} * 4, hash)) return 0;
  return last;
}

void read_dynamic(const Memory& memory, uintptr_t dynamic, LoadedFile& found) {
  uintptr_t soname = 0, hash = 0;
  // Loaders may have made addresses of what are distances in the file.
  const auto address = [&](const ElfW(Dyn) & entry) {
    return entry.d_un.d_ptr < found.bias ? found.bias + entry.d_un.d_ptr : entry.d_un.d_ptr;
  };
  ElfW(Dyn) entry{};
  for (; memory.get(dynamic, entry) && entry.d_tag != DT_NULL; dynamic += sizeof entry) {
    if (entry.d_tag == DT_STRTAB) found.strings = address(entry);
    if (entry.d_tag == DT_SYMTAB) found.symbols = address(entry);
    if (entry.d_tag == DT_GNU_HASH) hash = address(entry);
    if (entry.d_tag == DT_SONAME) soname = entry.d_un.d_val;
  }
  if (soname && found.strings) memory.text(found.strings + soname, found.soname, sizeof found.soname);
  if (hash && found.symbols && found.strings) found.symbol_count = count_symbols(memory, hash);
}

void read_headers(const Memory& memory, LoadedFile& found) {
  ElfW(Ehdr) header{};
  if (!memory.get(found.start, header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
  bool based = false;
  for (uintptr_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) part{};
    if (!memory.get(found.start + header.e_phoff + i * header.e_phentsize, part)) return;
    if (part.p_type == PT_LOAD && !based) {
      found.bias = found.start - (part.p_vaddr - part.p_offset);
      based = true;
    }
    if (part.p_type == PT_DYNAMIC && based) read_dynamic(memory, found.bias + part.p_vaddr, found);
  }
}

// Calls see(ElfW(Sym)) for the exported symbols until it returns true.
template <class See>
bool any_symbol(const Memory& memory, const LoadedFile& file, See see) {
  static std::array<ElfW(Sym), 256> piece;
  for (size_t at = 0; at < file.symbol_count; at += piece.size()) {
    const size_t count = std::min(piece.size(), file.symbol_count - at);
    if (!memory.get(file.symbols + at * sizeof piece[0], piece.data(), count * sizeof piece[0])) return false;
    for (size_t i = 0; i < count; ++i)
      if (piece[i].st_shndx != SHN_UNDEF && see(piece[i])) return true;
  }
  return false;
}

bool is_function(const ElfW(Sym) & symbol) {
  const auto type = symbol.st_info & 15;
  return type == STT_FUNC || type == STT_GNU_IFUNC;
}

}  // namespace

bool find_loaded_file(uintptr_t address, LoadedFile& found) {
  found = {};
  find_mappings(address, found);
  if (found.start == 0) return false;
  found.bias = found.start;
  read_headers(Memory(), found);
  return true;
}

bool symbol_at(const LoadedFile& file, uintptr_t address, char* name, size_t room) {
  const Memory memory;
  const uintptr_t offset = address - file.bias;
  return any_symbol(memory, file, [&](const ElfW(Sym) & symbol) {
    if (!is_function(symbol) || offset - symbol.st_value >= symbol.st_size) return false;
    memory.text(file.strings + symbol.st_name, name, room);
    return true;
  });
}

bool exports(const LoadedFile& file, const char* name) {
  const Memory memory;
  char found[64];
  return any_symbol(memory, file, [&](const ElfW(Sym) & symbol) {
    if (!is_function(symbol)) return false;
    memory.text(file.strings + symbol.st_name, found, sizeof found);
    return strcmp(found, name) == 0;
  });
}

}  // namespace belay
