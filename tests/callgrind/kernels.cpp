// Calls each kernel once on a small shape, each through `measured`, at whose end callgrind writes what it counted. Prints
// the names in the same order.

#include <cstdint>
#include <cstdio>
#include <vector>

#include "arch/select.hpp"
#include "base/buffer.hpp"
#include "ropewalk/dtype.hpp"
#include "ropewalk/norm.hpp"
#include "ropewalk/pairing.hpp"

extern "C" [[gnu::noinline]] void measured(void (*run)(const void*), const void* job) {
  run(job);
  asm volatile("" ::: "memory");  // so that the call is no jump, which callgrind would not see return
}

namespace {

using namespace ropewalk;

template <class F>
void count(const char* name, const F& kernel) {
  measured([](const void* job) { (*static_cast<const F*>(job))(); }, &kernel);
  std::printf("%s\n", name);
}

std::vector<float> values(std::size_t n) {
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>((i * 37) % 101) / 101.0F - 0.5F;
  return x;
}

template <class T>
Buffer<T> aligned(std::size_t n) {
  Buffer<T> buffer;
  if (!buffer.reserve(n, "callgrind").ok()) std::abort();
  std::fill_n(buffer.data(), n, T());
  return buffer;
}

void rotations(const kernels::Kernels& table) {
  constexpr std::size_t tokens = 16, heads = 4, head_dim = 64, pairs = head_dim / 2;
  const auto cos = values(tokens * pairs), sin = values(tokens * pairs);
  const auto rotate = [&](const char* name, DType dtype, Pairing pairing, bool streaming) {
    auto x = values(tokens * heads * head_dim);
    // The halves of these words are ordinary numbers of both 16-bit types.
    if (dtype != DType::float32)
      for (auto& word : x) word = 0x1.24p3F;
    kernels::RotateJob job{};
    job.x = job.y = x.data();
    job.outer = tokens;
    job.inner = heads;
    job.x_outer = job.y_outer = heads * head_dim;
    job.x_inner = job.y_inner = head_dim;
    job.cos = cos.data();
    job.sin = sin.data();
    job.table_outer = pairs;
    job.pairs = pairs;
    job.head_dim = head_dim;
    job.streaming = streaming;
    const auto kernel = table.rotate.of[static_cast<int>(dtype)][static_cast<int>(pairing)];
    count(name, [&] { kernel(job); });
  };
  rotate("rotate, half, float32", DType::float32, Pairing::half, false);
  rotate("rotate, half, float32, from memory", DType::float32, Pairing::half, true);
  rotate("rotate, half, float16", DType::float16, Pairing::half, false);
  rotate("rotate, half, bfloat16", DType::bfloat16, Pairing::half, false);
  rotate("rotate, interleaved, float32", DType::float32, Pairing::interleaved, false);
  rotate("rotate, interleaved, float32, from memory", DType::float32, Pairing::interleaved, true);
  rotate("rotate, interleaved, float16", DType::float16, Pairing::interleaved, false);
  rotate("rotate, interleaved, bfloat16", DType::bfloat16, Pairing::interleaved, false);
}

void tables(const kernels::Kernels& table) {
  constexpr std::size_t n = 256;
  std::vector<double> m(n, 1000), theta(n), re(n), im(n);
  for (std::size_t i = 0; i < n; ++i) theta[i] = 1.0 / static_cast<double>(i + 1);
  count("table of cos and sin",
        [&] { table.table.phasors(m.data(), theta.data(), n, {re.data(), im.data()}); });
}

void products(const kernels::Kernels& table) {
  const auto product = [&](const char* name, std::size_t rows) {
    constexpr std::size_t k = 64, n = 64;
    const auto weight = values(n * k), a = values(rows * k);
    std::vector<float> c(rows * n);
    auto packed = aligned<float>(table.dense.packed_size(k, n));
    table.dense.pack({weight.data(), 1, k, packed.data(), k, n});
    kernels::GemmJob job{};
    job.a = a.data();
    job.a_row = k;
    job.a_k = 1;
    job.b = packed.data();
    job.c = c.data();
    job.c_row = n;
    job.m = rows;
    job.n = n;
    job.k = k;
    count(name, [&] { table.dense.gemm(job); });
  };
  product("product, 32 x 64 x 64", 32);
  product("product, 1 x 64 x 64", 1);
}

void integer_products(const kernels::Kernels& table) {
  constexpr std::size_t m = 16, n = 64, k = 64;
  const auto weight = values(n * k), a = values(m * k);
  std::vector<float> c(m * n);
  auto packed = aligned<std::int8_t>(kernels::int8_size(k, n));
  auto scale = aligned<float>(kernels::int8_weight_rows(n));
  auto rows = aligned<std::int32_t>(kernels::int8_scratch(k));
  table.int8.rows.pack(
      {weight.data(), 0, n, k, packed.data(), scale.data(), reinterpret_cast<float*>(rows.data()), false});
  count("product in 8 bits, 16 x 64 x 64", [&] {
    table.int8.rows.gemm({a.data(), packed.data(), scale.data(), nullptr, c.data(), rows.data(), m, n, k});
  });
  auto blocks = aligned<std::int8_t>(kernels::blocks_size(k, n));
  auto scratch = aligned<std::int32_t>(kernels::blocks_scratch(k));
  table.int8.blocks.pack({weight.data(), 0, n, k, blocks.data(), false});
  count("product in 8 bits by blocks, 16 x 64 x 64", [&] {
    table.int8.blocks.gemm({a.data(), blocks.data(), nullptr, c.data(), scratch.data(), m, n, k});
  });
}

void rows(const kernels::Kernels& table) {
  constexpr std::size_t m = 16, n = 128;
  const auto x = values(m * n), gamma = values(n), beta = values(n);
  std::vector<float> y(m * n);
  kernels::SoftmaxJob softmax{};
  softmax.x = x.data();
  softmax.y = y.data();
  softmax.x_row = softmax.y_row = n;
  softmax.rows = m;
  softmax.columns = n;
  softmax.scale = 0.125F;
  count("softmax, 16 x 128", [&] { table.dense.softmax(softmax); });
  kernels::NormJob norm{};
  norm.x = x.data();
  norm.y = y.data();
  norm.x_row = norm.y_row = n;
  norm.gamma = gamma.data();
  norm.beta = beta.data();
  norm.m = m;
  norm.n = n;
  norm.eps = 1e-5F;
  norm.kind = NormKind::layer;
  count("layer norm, 16 x 128", [&] { table.dense.norm(norm); });
  norm.kind = NormKind::rms;
  norm.beta = nullptr;
  count("root-mean-square norm, 16 x 128", [&] { table.dense.norm(norm); });
  const char* names[] = {"gelu, 2048", "gelu by tanh, 2048", nullptr, "silu, 2048"};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (names[i] == nullptr) continue;
    count(names[i], [&, i] { table.dense.activation[i](x.data(), y.data(), m * n); });
  }
}

}  // namespace

int main() {
  const auto& table = *arch::active();
  std::printf("%s\n", table.name);
  rotations(table);
  tables(table);
  products(table);
  integer_products(table);
  rows(table);
}
