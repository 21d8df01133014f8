// SPDX-License-Identifier: Apache-2.0
// Python values to C values and back.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "object.h"

namespace belay::python {

// The function that is being called, for its error texts.
struct Site {
  PyObject* module;
  const char* name;
};

// They set an exception that names the function. `position` counts from 1.
PyObject* wrong_count(const Site& site, Py_ssize_t wanted, Py_ssize_t given);
bool wrong_argument(const Site& site, int position, const char* wanted, PyObject* given);
bool not_list(const Site& site, int position);
bool must_be_callable(const Site& site, PyObject* given);
bool wrong_value(const Site& site, int position, const char* what);

// The address or handle in an integer, modulo 2^64; anything that has __index__.
bool take(const Site& site, int position, PyObject* given, uint64_t& into);
// A number of `bits` bits, read as signed or unsigned; OverflowError when it does not fit.
bool take_narrow(const Site& site, int position, PyObject* given, int bits, int64_t& into);
bool take(const Site& site, int position, PyObject* given, double& into);
// The text lives as long as the Python object.
bool take(const Site& site, int position, PyObject* given, const char*& into);
// Null for None.
bool take_optional(const Site& site, int position, PyObject* given, const char*& into);

// Any integer or enumeration.
template <class T>
requires(std::is_integral_v<T> || std::is_enum_v<T>) bool take_number(const Site& site, int position, PyObject* given,
                                                                      T& into) {
  if constexpr (sizeof(T) == 8) {
    uint64_t value = 0;
    if (!take(site, position, given, value)) return false;
    into = static_cast<T>(value);
  } else {
    int64_t value = 0;
    if (!take_narrow(site, position, given, 8 * sizeof(T), value)) return false;
    into = static_cast<T>(value);
  }
  return true;
}

// Lists: a real list, or TypeError; ValueError for an element that cannot be converted.
template <class T>
using List = std::vector<T>;
// Calls `each` with every element; it may leave an exception set, which becomes the ValueError.
bool take_list(const Site& site, int position, PyObject* given, bool (*each)(PyObject* element, void* into),
               void* into);
bool number_of(PyObject* element, uint64_t& into);
bool number_of(PyObject* element, double& into);
bool text_of(PyObject* element, const char*& into);

template <class T>
requires(std::is_integral_v<T> || std::is_enum_v<T> || std::is_pointer_v<T>) bool take(const Site& site, int position,
                                                                                       PyObject* given, List<T>& into) {
  return take_list(
      site, position, given,
      [](PyObject* element, void* list) {
        if constexpr (std::is_same_v<T, const char*>) {
          const char* text = nullptr;
          if (!text_of(element, text)) return false;
          static_cast<List<T>*>(list)->push_back(text);
        } else {
          uint64_t value = 0;
          if (!number_of(element, value)) return false;
          static_cast<List<T>*>(list)->push_back((T)value);
        }
        return true;
      },
      &into);
}
using Pair = std::array<int64_t, 2>;
bool take(const Site& site, int position, PyObject* given, List<Pair>& into);

// A field of a dict; left as it is when the dict lacks it, unless it is required. False with an exception set.
bool take_field(PyObject* dict, const char* key, uint64_t& into, bool required = false);

PyObject* give(const std::string& text, bool ok);
// The text up to the first zero, or to the end of the array.
PyObject* give_text(const char* text, size_t size);
PyObject* give_list(const int64_t* values, size_t count);

// Types that travel as results: give(value, ok) makes the object; on failure the documented empty form.
template <class T>
inline constexpr bool kGiven = false;
template <>
inline constexpr bool kGiven<std::string> = true;
// Structures that travel as an argument: take(site, position, object, value).
template <class T>
inline constexpr bool kTaken = false;

}  // namespace belay::python
