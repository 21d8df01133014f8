// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace belay::dump {

// A name as it stands in file and directory names: each of space, '.', '/', '\' (and NUL) becomes '_', all else stays.
std::string mangled(std::string_view name);

// Microseconds since 1970, later than any that was given before in this process: no two files have the same.
uint64_t next_time();

// Local time as YYYYmmddHHMMSS.
std::string time_text(std::time_t time);

// What stands for a name that the file system finds too long: a hash of the full path, in decimal digits.
std::string digits_for(std::string_view path);
// Those of "<directory>/<name>", without allocating.
constexpr size_t kMostDigits = 24;  // with the NUL at their end
void write_digits(char (&digits)[kMostDigits], std::string_view directory, std::string_view name);

// Where the files of one configuration go. Only what is below `real` is made for the user.
struct DumpRoot {
  std::string written;  // dump_path as configured, without slashes at its end: what callbacks are told
  std::string real;     // the same directory, absolute
  std::string time;     // YYYYmmddHHMMSS, when the configuration was set; empty: files have no such directory

  // "<written>/<time>".
  std::string shown() const;
};

// The part after the colon of the remote form ip:path; nothing for other paths.
std::optional<std::string_view> remote_part(std::string_view path);

// Where a dump_path, or what begins with one, lies on this machine: itself; a remote ip:path, which is accepted in any
// form, below the working directory.
std::string local_path(const std::string& dump_path);

// The root of a configuration that is set now.
DumpRoot make_root(const std::string& dump_path, std::time_t now);

// One file: root, directories below the time's ("0/tiny/1/0"), name.
struct Place {
  std::shared_ptr<const DumpRoot> root;
  std::string directory;
  std::string name;

  // The whole path, as callbacks see it.
  std::string shown() const;
};

// "<device>/<model>/<model id>/<step>", with `model` mangled.
std::string model_directory(int device, std::string_view model, uint32_t model_id, uint64_t step);
// "<task>.<stream>.<time>": what follows type and name of the operator.
std::string file_suffix(uint32_t task, uint32_t stream, uint64_t time);

}  // namespace belay::dump
