// SPDX-License-Identifier: Apache-2.0
#include "base/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstring>

namespace belay {
namespace {

size_t padded(size_t bytes) { return (bytes + 3) / 4 * 4; }

std::string hexadecimal(const unsigned char* bytes, size_t count) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i) text += {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
  return text;
}

std::string id_among(const unsigned char* notes, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof note);
    const size_t name = padded(note.n_namesz), content = padded(note.n_descsz), all = sizeof note + name + content;
    if (all > size) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes + sizeof note, "GNU", 4) == 0)
      return hexadecimal(notes + sizeof note + name, note.n_descsz);
    notes += all;
    size -= all;
  }
  return "";
}

// The loaded object that an address is in.
struct Search {
  uintptr_t address;
  std::string found;
};

int look_at(dl_phdr_info* object, size_t, void* given) {
  auto& search = *static_cast<Search*>(given);
  bool inside = false;
  for (size_t i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    const uintptr_t first = object->dlpi_addr + part.p_vaddr;
    inside = inside || (part.p_type == PT_LOAD && search.address >= first && search.address - first < part.p_memsz);
  }
  if (!inside) return 0;
  for (size_t i = 0; i < object->dlpi_phnum && search.found.empty(); ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type == PT_NOTE)
      search.found = id_among(reinterpret_cast<const unsigned char*>(object->dlpi_addr + part.p_vaddr), part.p_memsz);
  }
  return 1;
}

}  // namespace

std::string build_id() {
  Search search{reinterpret_cast<uintptr_t>(&build_id), {}};
  dl_iterate_phdr(look_at, &search);
  return search.found;
}

}  // namespace belay
