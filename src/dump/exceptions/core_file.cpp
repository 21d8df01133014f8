// SPDX-License-Identifier: Apache-2.0
#include "dump/exceptions/core_file.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#ifdef __x86_64__
#include <asm/prctl.h>
#endif

#include "base/files/atomic_file.h"
#include "base/text.h"
#include "base/threads/size_signal.h"

namespace belay::dump {
namespace {

constexpr uintptr_t kMostStack = 8 << 20;
constexpr uintptr_t kMostData = 4 << 20;  // of one library
constexpr uintptr_t kRedZone = 128;       // below the stack pointer, used without moving it

struct Range {
  uintptr_t begin, end;
};

struct Mapping {
  Range range;
  bool read = false, write = false, execute = false;
  uint64_t offset = 0;
  std::string path = {};  // of a file; empty: none
  bool vdso = false;      // the kernel's own library
};

uintptr_t page_size() {
  static const auto size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  return size;
}
uintptr_t page_of(uintptr_t address) { return address / page_size() * page_size(); }
Range pages_of(const void* memory, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  return {page_of(begin), page_of(begin + std::max<size_t>(bytes, 1) - 1) + page_size()};
}

std::string read_all(const char* path) {
  std::string text;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char buffer[4096];
  for (ssize_t got; (got = read(file, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(got));
  close(file);
  return text;
}

std::vector<Mapping> read_mappings() {
  std::vector<Mapping> all;
  const std::string text = read_all("/proc/self/maps");
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    unsigned long first = 0, last = 0, offset = 0, inode = 0;
    char mode[5] = {};
    int name = 0;
    if (sscanf(line.c_str(), "%lx-%lx %4s %lx %*s %lu %n", &first, &last, mode, &offset, &inode, &name) != 5) continue;
    Mapping made{{first, last}, mode[0] == 'r', mode[1] == 'w', mode[2] == 'x', offset};
    made.vdso = line.ends_with("[vdso]");
    if (inode != 0 && mode[3] == 'p' && name > 0) made.path = line.substr(static_cast<size_t>(name));
    all.push_back(std::move(made));
  }
  return all;
}

uintptr_t stack_pointer(const ucontext_t& context) {
#ifdef __x86_64__
  return static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
#else
  return context.uc_mcontext.sp;
#endif
}

// Where the loader's list of libraries is: a debugger reads it from the core.
void add_loader(std::vector<Range>& ranges) {
  ranges.push_back(pages_of(&_r_debug, sizeof _r_debug));
  for (const link_map* library = _r_debug.r_map; library; library = library->l_next) {
    ranges.push_back(pages_of(library, sizeof *library));
    if (library->l_name) ranges.push_back(pages_of(library->l_name, strlen(library->l_name) + 1));
    size_t entries = 1;
    while (library->l_ld && library->l_ld[entries - 1].d_tag != DT_NULL) ++entries;
    if (library->l_ld) ranges.push_back(pages_of(library->l_ld, entries * sizeof(ElfW(Dyn))));
  }
}

std::vector<Range> choose_ranges(const std::vector<Mapping>& mappings, const CoreRequest& request) {
  std::vector<Range> wanted;
  add_loader(wanted);
  for (const auto& memory : request.memory)
    if (!memory.empty()) wanted.push_back(pages_of(memory.data(), memory.size()));
  const uintptr_t stack = stack_pointer(*static_cast<const ucontext_t*>(request.context));
  for (const Mapping& mapping : mappings) {
    const auto& [begin, end] = mapping.range;
    if (begin <= stack && stack < end)
      wanted.push_back({std::max(begin, page_of(stack - kRedZone)), std::min(end, page_of(stack) + kMostStack)});
    if (mapping.vdso) wanted.push_back(mapping.range);
    if (mapping.path.empty()) continue;
    if (mapping.offset == 0 && mapping.read) wanted.push_back({begin, begin + page_size()});  // says which build it is
    if (mapping.write && end - begin <= kMostData) wanted.push_back(mapping.range);
  }
  // Only what is there and can be read; in order, nothing twice.
  std::vector<Range> chosen;
  for (const Mapping& mapping : mappings) {
    if (!mapping.read) continue;
    std::vector<Range> here;
    for (const Range& range : wanted)
      if (range.begin < mapping.range.end && mapping.range.begin < range.end)
        here.push_back({std::max(range.begin, mapping.range.begin), std::min(range.end, mapping.range.end)});
    std::ranges::sort(here, {}, &Range::begin);
    for (const Range& range : here) {
      if (!chosen.empty() && range.begin <= chosen.back().end && chosen.back().end > mapping.range.begin)
        chosen.back().end = std::max(chosen.back().end, range.end);
      else
        chosen.push_back(range);
    }
  }
  return chosen;
}

const Mapping& mapping_of(const std::vector<Mapping>& mappings, uintptr_t address) {
  return *std::ranges::find_if(
      mappings, [=](const Mapping& mapping) { return mapping.range.begin <= address && address < mapping.range.end; });
}

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

void pad(std::string& text) { text.resize((text.size() + 3) / 4 * 4); }

void add_note(std::string& notes, uint32_t type, std::string_view name, std::string content) {
  const ElfW(Nhdr) header{static_cast<uint32_t>(name.size() + 1), static_cast<uint32_t>(content.size()), type};
  notes += bytes_of(header) + std::string(name) + '\0';
  pad(notes);
  notes += content;
  pad(notes);
}

#ifdef __x86_64__
void set_registers(elf_gregset_t& registers, const ucontext_t& context) {
  const auto& from = context.uc_mcontext.gregs;
  // In the order of user_regs_struct.
  constexpr int order[] = {REG_R15, REG_R14, REG_R13, REG_R12, REG_RBP, REG_RBX, REG_R11, REG_R10, REG_R9,  REG_R8,
                           REG_RAX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RAX, REG_RIP, -1,      REG_EFL, REG_RSP};
  for (size_t i = 0; i < std::size(order); ++i)
    if (order[i] >= 0) registers[i] = static_cast<elf_greg_t>(from[order[i]]);
  registers[17] = from[REG_CSGSFS] & 0xffff;                                               // cs
  registers[20] = static_cast<elf_greg_t>(static_cast<uint64_t>(from[REG_CSGSFS]) >> 48);  // ss
  unsigned long base = 0;
  if (syscall(SYS_arch_prctl, ARCH_GET_FS, &base) == 0) registers[21] = base;
}
#else
void set_registers(elf_gregset_t& registers, const ucontext_t& context) {
  for (size_t i = 0; i < 31; ++i) registers[i] = context.uc_mcontext.regs[i];
  registers[31] = context.uc_mcontext.sp;
  registers[32] = context.uc_mcontext.pc;
  registers[33] = context.uc_mcontext.pstate;
}
#endif

std::string status_note(const CoreRequest& request) {
  elf_prstatus status{};
  status.pr_info.si_signo = request.signal;
  status.pr_cursig = static_cast<short>(request.signal);
  status.pr_pid = static_cast<pid_t>(syscall(SYS_gettid));
  status.pr_ppid = getppid();
  status.pr_pgrp = getpgrp();
  set_registers(status.pr_reg, *static_cast<const ucontext_t*>(request.context));
  status.pr_fpvalid = 1;
  return bytes_of(status);
}

std::string program_note() {
  elf_prpsinfo info{};
  info.pr_pid = getpid();
  info.pr_ppid = getppid();
  info.pr_uid = getuid();
  info.pr_gid = getgid();
  info.pr_sname = 'R';
  std::string arguments = read_all("/proc/self/cmdline"), name = read_all("/proc/self/comm");
  std::ranges::replace(arguments, '\0', ' ');
  name = trimmed(name);
  name.copy(info.pr_fname, sizeof info.pr_fname - 1);
  arguments.copy(info.pr_psargs, sizeof info.pr_psargs - 1);
  return bytes_of(info);
}

std::string signal_note(const CoreRequest& request) {
  siginfo_t info{};
  info.si_signo = request.signal;
  info.si_addr = const_cast<void*>(request.address);
  return bytes_of(info);
}

std::string files_note(const std::vector<Mapping>& mappings) {
  std::string table, names;
  uint64_t count = 0;
  for (const Mapping& mapping : mappings) {
    if (mapping.path.empty()) continue;
    ++count;
    table += bytes_of(uint64_t{mapping.range.begin}) + bytes_of(uint64_t{mapping.range.end}) +
             bytes_of(uint64_t{mapping.offset / page_size()});
    names += mapping.path + '\0';
  }
  return bytes_of(count) + bytes_of(uint64_t{page_size()}) + table + names;
}

std::string all_notes(const std::vector<Mapping>& mappings, const CoreRequest& request) {
  std::string notes;
  add_note(notes, NT_PRSTATUS, "CORE", status_note(request));
  add_note(notes, NT_PRPSINFO, "CORE", program_note());
  add_note(notes, NT_SIGINFO, "CORE", signal_note(request));
  add_note(notes, NT_AUXV, "CORE", read_all("/proc/self/auxv"));
  add_note(notes, NT_FILE, "CORE", files_note(mappings));
#ifdef __x86_64__
  const auto& machine = static_cast<const ucontext_t*>(request.context)->uc_mcontext;
  if (machine.fpregs) add_note(notes, NT_FPREGSET, "CORE", bytes_of(*machine.fpregs));
#endif
  return notes;
}

ElfW(Ehdr) file_header(size_t segments) {
  ElfW(Ehdr) header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_CORE;
#ifdef __x86_64__
  header.e_machine = EM_X86_64;
#else
  header.e_machine = EM_AARCH64;
#endif
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof header;
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(ElfW(Phdr));
  header.e_phnum = static_cast<uint16_t>(segments);
  return header;
}

bool write_text(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

// A page that turns out not to be there is zeros. The system is called directly: a sanitizer's own write() looks at the
// memory first, and knows nothing of some of it.
bool write_memory(int file, Range range) {
  const std::string zeros(page_size(), '\0');
  for (uintptr_t at = range.begin; at < range.end;) {
    const ssize_t written = syscall(SYS_write, file, at, range.end - at);
    if (written > 0) {
      at += static_cast<uintptr_t>(written);
    } else if (written < 0 && errno == EFAULT) {
      const uintptr_t next = std::min(page_of(at) + page_size(), range.end);
      if (!write_text(file, std::string_view(zeros).substr(0, next - at))) return false;
      at = next;
    } else if (written == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool write_elf(int file, const CoreRequest& request) {
  const auto mappings = read_mappings();
  const auto ranges = choose_ranges(mappings, request);
  const std::string notes = all_notes(mappings, request);
  std::string head = bytes_of(file_header(ranges.size() + 1));
  const size_t table = head.size() + (ranges.size() + 1) * sizeof(ElfW(Phdr));
  ElfW(Phdr) note{};
  note.p_type = PT_NOTE;
  note.p_offset = table;
  note.p_filesz = notes.size();
  note.p_align = 4;
  head += bytes_of(note);
  const size_t data = (table + notes.size() + page_size() - 1) / page_size() * page_size();
  size_t offset = data;
  for (const Range& range : ranges) {
    const Mapping& mapping = mapping_of(mappings, range.begin);
    ElfW(Phdr) load{};
    load.p_type = PT_LOAD;
    load.p_flags =
        static_cast<uint32_t>((mapping.read ? PF_R : 0) | (mapping.write ? PF_W : 0) | (mapping.execute ? PF_X : 0));
    load.p_offset = offset;
    load.p_vaddr = range.begin;
    load.p_filesz = load.p_memsz = range.end - range.begin;
    load.p_align = page_size();
    head += bytes_of(load);
    offset += load.p_filesz;
  }
  head += notes;
  head.resize(data);
  if (!write_text(file, head)) return false;
  return std::ranges::all_of(ranges, [&](const Range& range) { return write_memory(file, range); });
}

}  // namespace

Status write_core(const std::string& path, const CoreRequest& request) {
  AtomicFile file;
  int error = file.open(std::string_view(path).substr(0, path.rfind('/')), 0400);
  const SizeSignalBlocked blocked;
  if (!error && !write_elf(file.descriptor(), request)) error = errno;
  if (error == EFBIG) blocked.take();
  if (!error) error = file.publish(path.c_str(), AtomicFile::Existing::Keep);
  if (!error) return {};
  return {ACL_ERROR_FAILURE, write_failure(path, error).message};
}

}  // namespace belay::dump
