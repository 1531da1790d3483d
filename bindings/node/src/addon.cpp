// ropewalk.node: what bindings/embind names, as objects of JavaScript. `open()` gives a module, which has the same members as
// one of WebAssembly (bindings/ts/module/native.ts), and besides `memoryAddress` and `copy`, for addresses in the memory
// that JavaScript sees and for all others.

#include <node_api.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <system_error>
#include <vector>

#include "call.hpp"
#include "instance.hpp"

namespace ropewalk::node {
namespace {

thread_local Instance* in_use = nullptr;

/// An object that JavaScript owns, until it is deleted. Its module stays as long.
struct Held {
  const Class& of;
  void* object;
  std::shared_ptr<Instance> instance;

  void destroy() {
    if (object == nullptr) return;
    const Current scope(*instance);
    of.destroy(std::exchange(object, nullptr));
  }
};

/// Modules of a thread of JavaScript.
struct Modules {
  std::vector<std::shared_ptr<Instance>> all;
};

Modules& modules_of(napi_env env) {
  void* data = nullptr;
  napi_get_instance_data(env, &data);
  return *static_cast<Modules*>(data);
}

std::shared_ptr<Instance> shared(napi_env env, const Instance& instance) {
  for (const std::shared_ptr<Instance>& each : modules_of(env).all) {
    if (each.get() == &instance) return each;
  }
  return nullptr;
}

/// Gives JavaScript the memory that there is by now. As with WebAssembly, older views become empty.
void show_memory(Instance& instance) {
  const napi_env env = instance.env;
  napi_value memory, before, buffer;
  napi_get_reference_value(env, instance.memory, &memory);
  const auto keep = [](napi_env, void*, void*) {};
  if (napi_create_external_arraybuffer(env, instance.region.base(), instance.region.size(), keep, nullptr,
                                       &buffer) != napi_ok)
    return;
  napi_get_named_property(env, memory, "buffer", &before);
  bool is_buffer = false;
  napi_is_arraybuffer(env, before, &is_buffer);
  if (is_buffer) napi_detach_arraybuffer(env, before);
  napi_set_named_property(env, memory, "buffer", buffer);
  instance.seen = instance.region.size();
}

/// The most parameters that a function has.
constexpr std::size_t most_arguments = 16;

napi_value out_of_memory(napi_env env) {
  napi_throw_error(env, "out-of-memory", "ropewalk-native: no memory");
  return nullptr;
}

napi_value run(napi_env env, napi_callback_info info) {
  napi_value arguments[most_arguments], self;
  std::size_t count = most_arguments;
  void* data = nullptr;
  napi_get_cb_info(env, info, &count, arguments, &self, &data);
  const Bound& bound = *static_cast<const Bound*>(data);
  Instance& instance = *bound.instance;
  const Current scope(instance);
  napi_value result = nullptr;
  // Nothing in the library throws but the containers and threads of the standard library.
  try {
    result = bound.callable->call(env, self, arguments);
  } catch (const std::bad_alloc&) {
    return out_of_memory(env);
  } catch (const std::system_error& error) {
    napi_throw_error(env, nullptr, error.what());
  }
  if (instance.seen != instance.region.size()) show_memory(instance);
  return result;
}

/// Objects are made by functions, which wrap() them.
napi_value construct(napi_env env, napi_callback_info info) {
  napi_value self = nullptr;
  napi_get_cb_info(env, info, nullptr, nullptr, &self, nullptr);
  return self;
}

Held* held(napi_env env, napi_value value) {
  void* data = nullptr;
  return napi_unwrap(env, value, &data) == napi_ok ? static_cast<Held*>(data) : nullptr;
}

napi_value delete_object(napi_env env, napi_callback_info info) {
  napi_value self = nullptr;
  napi_get_cb_info(env, info, nullptr, nullptr, &self, nullptr);
  if (Held* const object = held(env, self)) object->destroy();
  return nullptr;
}

/// A copy of `bytes` bytes from an address on, as an ArrayBuffer.
napi_value copy(napi_env env, napi_callback_info info) {
  napi_value arguments[2], buffer;
  std::size_t count = 2;
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  double address = 0, bytes = 0;
  // Beyond 2^53 neighbours of a double are no addresses.
  constexpr double most = 9007199254740992;
  if (napi_get_value_double(env, arguments[0], &address) != napi_ok ||
      napi_get_value_double(env, arguments[1], &bytes) != napi_ok || !(bytes >= 0 && bytes <= most) ||
      !(address >= 0 && address <= most) || (address == 0 && bytes > 0)) {
    napi_throw_range_error(env, nullptr, "ropewalk-native: copy takes an address and a number of bytes");
    return nullptr;
  }
  const auto size = static_cast<std::size_t>(bytes);
  // V8 ends the process where it finds no memory for a buffer.
  void* const probe = std::malloc(size + 1);
  std::free(probe);
  void* to = nullptr;
  if (probe == nullptr || napi_create_arraybuffer(env, size, &to, &buffer) != napi_ok)
    return out_of_memory(env);
  if (size > 0) std::memcpy(to, reinterpret_cast<const void*>(static_cast<std::uintptr_t>(address)), size);
  return buffer;
}

napi_property_descriptor method(const char* name, napi_callback callback, void* data) {
  return {name, nullptr, callback, nullptr, nullptr, nullptr, napi_default_method, data};
}

void bind_class(Instance& instance, const Class& each) {
  std::vector<napi_property_descriptor> methods{method("delete", delete_object, nullptr)};
  for (const Named& named : each.methods) {
    Bound& bound = instance.bound.emplace_back(&instance, named.callable.get());
    methods.push_back(method(named.name.c_str(), run, &bound));
  }
  napi_value constructor;
  napi_define_class(instance.env, each.name.c_str(), NAPI_AUTO_LENGTH, construct, nullptr, methods.size(),
                    methods.data(), &constructor);
  napi_create_reference(instance.env, constructor, 1, &instance.constructors[&each]);
}

napi_value open(napi_env env, napi_callback_info) {
  auto instance = std::make_shared<Instance>();
  instance->env = env;
  instance->call = instance->region.allocate(sizeof(embind::Call));
  if (instance->call == nullptr) return out_of_memory(env);
  std::memset(instance->call, 0, sizeof(embind::Call));

  napi_value module, memory, address;
  napi_create_object(env, &module);
  napi_create_object(env, &memory);
  napi_create_reference(env, memory, 1, &instance->memory);
  show_memory(*instance);
  if (instance->seen == 0) {
    napi_throw_error(env, nullptr, "this runtime lets no addon share its memory");
    return nullptr;
  }
  napi_create_double(env, static_cast<double>(reinterpret_cast<std::uintptr_t>(instance->region.base())),
                     &address);
  napi_set_named_property(env, module, "wasmMemory", memory);
  napi_set_named_property(env, module, "memoryAddress", address);
  std::vector<napi_property_descriptor> members{method("copy", copy, nullptr)};
  for (const Named& named : functions()) {
    Bound& bound = instance->bound.emplace_back(instance.get(), named.callable.get());
    members.push_back(method(named.name.c_str(), run, &bound));
  }
  napi_define_properties(env, module, members.size(), members.data());
  for (const Class* each : classes()) bind_class(*instance, *each);
  modules_of(env).all.push_back(std::move(instance));
  return module;
}

}  // namespace

std::vector<const Class*>& classes() {
  static std::vector<const Class*> all;
  return all;
}

std::vector<Named>& functions() {
  static std::vector<Named> all;
  return all;
}

Instance& current() { return *in_use; }

Current::Current(Instance& instance) : before_(std::exchange(in_use, &instance)) {}
Current::~Current() { in_use = before_; }

napi_value wrap(napi_env env, const Class& of, void* object) {
  auto* const owner = new Held{of, object, shared(env, current())};
  napi_value constructor, result = nullptr;
  napi_get_reference_value(env, current().constructors.at(&of), &constructor);
  const auto finish = [](napi_env, void* data, void*) {
    auto* const forgotten = static_cast<Held*>(data);
    forgotten->destroy();
    delete forgotten;
  };
  if (napi_new_instance(env, constructor, 0, nullptr, &result) == napi_ok &&
      napi_wrap(env, result, owner, finish, nullptr, nullptr) == napi_ok)
    return result;
  finish(env, owner, nullptr);
  return nullptr;
}

void* unwrap(napi_env env, const Class& of, napi_value value) {
  const Held* const found = held(env, value);
  if (found != nullptr && &found->of == &of && found->object != nullptr) return found->object;
  napi_throw_type_error(env, nullptr, ("ropewalk-native: this is no living " + of.name).c_str());
  return nullptr;
}

}  // namespace ropewalk::node

NAPI_MODULE_INIT() {
  using namespace ropewalk::node;
  auto* const modules = new Modules;
  napi_set_instance_data(
      env, modules, [](napi_env, void* data, void*) { delete static_cast<Modules*>(data); }, nullptr);
  napi_value version, function;
  napi_create_string_utf8(env, ROPEWALK_VERSION, NAPI_AUTO_LENGTH, &version);
  napi_create_function(env, "open", NAPI_AUTO_LENGTH, open, nullptr, &function);
  napi_set_named_property(env, exports, "version", version);
  napi_set_named_property(env, exports, "open", function);
  return exports;
}
