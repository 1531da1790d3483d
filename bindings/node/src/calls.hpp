#pragma once

// From values of JavaScript to arguments of C++ and back, for the few types that cross: numbers, addresses, and objects of
// classes.

#include <node_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ropewalk::node {

struct Instance;

/// A function, whatever its type.
struct Callable {
  virtual ~Callable() = default;
  /// nullptr is undefined, or an exception of JavaScript that waits.
  virtual napi_value call(napi_env env, napi_value self, const napi_value* arguments) const = 0;
};

struct Named {
  std::string name;
  std::unique_ptr<const Callable> callable;
};

/// A class whose objects JavaScript holds.
struct Class {
  std::string name;
  void (*destroy)(void* object) = nullptr;
  std::vector<Named> methods;
};

template <class T>
Class& class_of() {
  static Class the_class;
  return the_class;
}

/// Classes and functions of the files that are linked, in the order in which they were named.
std::vector<const Class*>& classes();
std::vector<Named>& functions();

/// A new object of JavaScript that owns this one.
napi_value wrap(napi_env env, const Class& of, void* object);
/// nullptr, with an exception waiting, for everything that is no living object of the class.
void* unwrap(napi_env env, const Class& of, napi_value value);

/// How numbers and pointers cross: `plain` functions give what exports of WebAssembly give, the others what Embind does.
enum class Kind { plain, embind };

/// Converts a value that was checked.
template <class T>
struct Argument {
  static T from(napi_env env, napi_value value) {
    if constexpr (std::is_same_v<T, bool>) {
      napi_value truth;
      bool result = false;
      napi_coerce_to_bool(env, value, &truth);
      napi_get_value_bool(env, truth, &result);
      return result;
    } else {
      double number = 0;
      napi_get_value_double(env, value, &number);
      if constexpr (std::is_pointer_v<T>) {
        return reinterpret_cast<T>(static_cast<std::uintptr_t>(number));
      } else if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(number);
      } else {
        return static_cast<T>(static_cast<std::int64_t>(number));
      }
    }
  }
};

template <class T>
  requires std::is_class_v<T>
struct Argument<T&> {
  static T& from(napi_env env, napi_value value) {
    return *static_cast<T*>(unwrap(env, class_of<std::remove_const_t<T>>(), value));
  }
};

template <Kind kind, class T>
napi_value given(napi_env env, T value) {
  napi_value result = nullptr;
  if constexpr (kind == Kind::embind && std::is_same_v<T, bool>) {
    napi_get_boolean(env, value, &result);
  } else if constexpr (kind == Kind::embind && std::is_pointer_v<T>) {
    if (value == nullptr) {
      napi_get_null(env, &result);
    } else {
      result = wrap(env, class_of<std::remove_pointer_t<T>>(), value);
    }
  } else if constexpr (std::is_pointer_v<T>) {
    napi_create_double(env, static_cast<double>(reinterpret_cast<std::uintptr_t>(value)), &result);
  } else if constexpr (std::is_same_v<T, int>) {
    napi_create_int32(env, value, &result);
  } else {
    napi_create_double(env, static_cast<double>(value), &result);
  }
  return result;
}

/// A function, or a method whose first parameter is the object.
template <Kind kind, bool is_method, class Result, class... Parameters>
class Function : public Callable {
 public:
  explicit Function(Result (*function)(Parameters...)) : function_(function) {}

  napi_value call(napi_env env, napi_value self, const napi_value* arguments) const override {
    return call(env, self, arguments, std::index_sequence_for<Parameters...>());
  }

 private:
  template <std::size_t... i>
  napi_value call(napi_env env, napi_value self, const napi_value* arguments,
                  std::index_sequence<i...>) const {
    const napi_value given_values[] = {(is_method ? i == 0 ? self : arguments[i - 1] : arguments[i])...,
                                       nullptr};
    bool is_sound = true;
    // Objects are looked at before any of them becomes a reference.
    ((is_sound = is_sound && check<Parameters>(env, given_values[i])), ...);
    if (!is_sound) return nullptr;
    if constexpr (std::is_void_v<Result>) {
      function_(Argument<Parameters>::from(env, given_values[i])...);
      return nullptr;
    } else {
      return given<kind>(env, function_(Argument<Parameters>::from(env, given_values[i])...));
    }
  }

  template <class T>
  static bool check(napi_env env, napi_value value) {
    if constexpr (std::is_reference_v<T>) {
      return unwrap(env, class_of<std::remove_cvref_t<T>>(), value) != nullptr;
    } else {
      napi_valuetype type = napi_undefined;
      napi_typeof(env, value, &type);
      if (type == napi_number || (std::is_same_v<T, bool> && type == napi_boolean)) return true;
      napi_throw_type_error(env, nullptr, "ropewalk-native: an argument is no number");
      return false;
    }
  }

  Result (*function_)(Parameters...);
};

}  // namespace ropewalk::node
