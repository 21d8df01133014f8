// SPDX-License-Identifier: Apache-2.0
// A row per function: `row<"malloc", aclrtMalloc>()` makes acl.rt.malloc from the C declaration alone. What a C
// parameter is follows from its type:
//   a number, an enumeration, a handle, an address     an int argument; float and const char*: float and str
//   a pointer to a pointer, to a number, to an enum     a result
//   a structure that kGiven or kTaken knows             a result, or an argument, in its Python form
//   const List<T>&, const T& with take()                a list, or whatever take() reads
// Results come in C's order, followed by the error code; alone, the error code is bare. Functions that differ have an
// adaptor with these types, and what needs Python objects (callables) is a `raw` row. The GIL is released in every
// call.
#pragma once

#include <algorithm>
#include <tuple>

#include "dicts.h"
#include "gil.h"

namespace belay::python {

enum class Style {
  Plain,
  Echo,       // the first argument comes back as first result
  Addresses,  // pointers to numbers are addresses that the caller gives
};

template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <class T>
inline constexpr bool kResult = false;
template <Number T>
inline constexpr bool kResult<T*> = !std::is_const_v<T> && !std::is_same_v<T, char>;
template <class T>
inline constexpr bool kResult<T**> = true;
template <class T>
requires kGiven<T>
inline constexpr bool kResult<T*> = true;

template <class T, Style style>
inline constexpr bool kIsResult = kResult<T> && !(style == Style::Addresses && Number<std::remove_pointer_t<T>>);

template <class T>
PyObject* give_value(T value) {
  if constexpr (std::is_same_v<T, const char*>) {
    return PyUnicode_DecodeUTF8(value ? value : "",
                                value ? static_cast<Py_ssize_t>(std::char_traits<char>::length(value)) : 0, "replace");
  } else if constexpr (std::is_pointer_v<T>) {
    return PyLong_FromUnsignedLongLong(reinterpret_cast<uintptr_t>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return PyFloat_FromDouble(value);
  } else if constexpr (std::is_enum_v<T>) {
    return PyLong_FromLong(static_cast<int>(value));
  } else if constexpr (std::is_signed_v<T>) {
    return PyLong_FromLongLong(value);
  } else {
    return PyLong_FromUnsignedLongLong(value);
  }
}

// The place of one C parameter during a call.
template <class T>
struct Argument {
  T value{};
  bool load(const Site& site, int position, PyObject* given) {
    if constexpr (std::is_same_v<T, const char*>) {
      return take(site, position, given, value);
    } else if constexpr (std::is_pointer_v<T>) {
      uint64_t address = 0;
      if (!take(site, position, given, address)) return false;
      value = reinterpret_cast<T>(address);
      return true;
    } else if constexpr (std::is_floating_point_v<T>) {
      double number = 0;
      if (!take(site, position, given, number)) return false;
      value = static_cast<T>(number);
      return true;
    } else {
      return take_number(site, position, given, value);
    }
  }
  T pass() { return value; }
};

template <class T>
struct Argument<const T&> {
  T value{};
  bool load(const Site& site, int position, PyObject* given) { return take(site, position, given, value); }
  const T& pass() { return value; }
};

template <class T>
requires kTaken<T>
struct Argument<const T*> {
  T value{};
  bool load(const Site& site, int position, PyObject* given) { return take(site, position, given, value); }
  const T* pass() { return &value; }
};

template <class T>
struct Result {
  std::remove_pointer_t<T> value{};
  T pass() { return &value; }
  PyObject* make(bool ok) const {
    if constexpr (kGiven<std::remove_pointer_t<T>>)
      return give(value, ok);
    else
      return give_value(value);
  }
};

template <class T, Style style>
using Place = std::conditional_t<kIsResult<T, style>, Result<T>, Argument<T>>;

// (results..., code), or the bare code. Takes the results over.
PyObject* pack(PyObject** results, size_t count, int code);

template <Style style, class Function>
struct Call;

template <Style style, class R, class... P>
struct Call<style, R (*)(P...)> {
  static constexpr int kArguments = (0 + ... + !kIsResult<P, style>);
  static constexpr size_t kResults = sizeof...(P) - kArguments + (style == Style::Echo);

  static PyObject* run(R (*function)(P...), const Site& site, PyObject* const* given, Py_ssize_t count) {
    // A function without parameters ignores what it is given.
    if (kArguments > 0 && count != kArguments) return wrong_count(site, kArguments, count);
    std::tuple<Place<P, style>...> places;
    [[maybe_unused]] int next = 0;
    const auto load = [&]<class T>(std::type_identity<T>, auto& place) {
      if constexpr (kIsResult<T, style>) {
        return true;
      } else {
        ++next;
        return place.load(site, next, given[next - 1]);
      }
    };
    const bool loaded =
        std::apply([&](auto&... place) { return (load(std::type_identity<P>{}, place) && ...); }, places);
    if (!loaded) return nullptr;
    const auto call = [&] { return std::apply([&](auto&... place) { return function(place.pass()...); }, places); };
    if constexpr (std::is_void_v<R>) {
      without_gil(call);
      Py_RETURN_NONE;
    } else if constexpr (kResults == 0) {
      return give_value(without_gil(call));
    } else {
      const int code = without_gil(call);
      PyObject* results[kResults] = {};
      size_t made = 0;
      if constexpr (style == Style::Echo) results[made++] = Py_NewRef(given[0]);
      const auto make = [&]<class T>(std::type_identity<T>, const auto& place) {
        if constexpr (kIsResult<T, style>) results[made++] = place.make(code == 0);
      };
      std::apply([&](const auto&... place) { (make(std::type_identity<P>{}, place), ...); }, places);
      return pack(results, kResults, code);
    }
  }
};

// A string as a template argument.
template <size_t size>
struct Name {
  char text[size];
  constexpr Name(const char (&literal)[size]) { std::copy_n(literal, size, text); }
};

template <Name name, auto function, Style style = Style::Plain>
PyMethodDef row() {
  constexpr _PyCFunctionFast thunk = [](PyObject* self, PyObject* const* given, Py_ssize_t count) {
    return Call<style, decltype(function)>::run(function, Site{self, name.text}, given, count);
  };
  return {name.text, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(thunk)), METH_FASTCALL, nullptr};
}
template <Name name, auto function>
PyMethodDef echo() {
  return row<name, function, Style::Echo>();
}
template <Name name, auto function>
PyMethodDef addresses() {
  return row<name, function, Style::Addresses>();
}

// A function that reads its arguments itself: PyObject*(const Site&, PyObject* const* given, Py_ssize_t count).
using Raw = PyObject* (*)(const Site&, PyObject* const*, Py_ssize_t);
template <Name name, Raw function>
PyMethodDef raw() {
  constexpr _PyCFunctionFast thunk = [](PyObject* self, PyObject* const* given, Py_ssize_t count) {
    return function(Site{self, name.text}, given, count);
  };
  return {name.text, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(thunk)), METH_FASTCALL, nullptr};
}

// Reads all arguments of a raw function: numbers (also addresses), const char*, structures with take().
template <class... T>
bool load(const Site& site, PyObject* const* given, Py_ssize_t count, T&... into) {
  if (count != sizeof...(T)) {
    wrong_count(site, sizeof...(T), count);
    return false;
  }
  int next = 0;
  const auto one = [&](auto& place) {
    using Type = std::remove_reference_t<decltype(place)>;
    ++next;
    if constexpr (std::is_same_v<Type, PyObject*>) {
      place = given[next - 1];
      return true;
    } else {
      Argument<Type> argument;
      const bool loaded = argument.load(site, next, given[next - 1]);
      place = argument.value;
      return loaded;
    }
  };
  return (one(into) && ...);
}

// The methods of each module, ended by an empty row.
PyMethodDef* acl_methods();
PyMethodDef* tensor_methods();
PyMethodDef* rt_device_methods();
PyMethodDef* rt_stream_methods();
PyMethodDef* rt_memory_methods();
PyMethodDef* rt_kernel_methods();
PyMethodDef* rt_callback_methods();
PyMethodDef* rt_allocator_methods();
PyMethodDef* mdl_methods();
PyMethodDef* mdl_desc_methods();
PyMethodDef* mdl_aipp_methods();
PyMethodDef* mdl_dump_methods();
PyMethodDef* op_methods();
PyMethodDef* op_kernel_methods();
PyMethodDef* util_methods();
PyMethodDef* thread_methods();
PyMethodDef* prof_methods();
PyMethodDef* media_methods();
PyMethodDef* blas_methods();
PyMethodDef* tdt_methods();
PyMethodDef* himpi_methods();

}  // namespace belay::python
