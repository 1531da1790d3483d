#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>

#include "arch/select.hpp"
#include "base/buffer.hpp"
#include "candidate.hpp"
#include "ropewalk/encoder.hpp"

namespace bench {
namespace {

/// c (m,n) = a (m,k) b (k,n), b packed beforehand.
struct Product {
  std::size_t m, k, n;
  std::vector<float> a, c;
  ropewalk::Buffer<float> packed;
};

Made product_of(std::size_t m, std::size_t k, std::size_t n) {
  auto product = std::make_shared<Product>();
  product->m = m;
  product->k = k;
  product->n = n;
  std::vector<float> weight(n * k);  // (n,k)
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = std::sin(static_cast<float>(i));
  product->a.resize(m * k);
  for (std::size_t i = 0; i < product->a.size(); ++i) product->a[i] = std::cos(static_cast<float>(i));
  product->c.resize(m * n);
  const auto& dense = ropewalk::arch::active()->dense;
  if (!product->packed.reserve(dense.packed_size(k, n), "bench").ok()) return {std::nullopt, "no memory"};
  ropewalk::kernels::PackJob pack{};
  pack.b = weight.data();
  pack.k_stride = 1;
  pack.n_stride = static_cast<std::ptrdiff_t>(k);
  pack.packed = product->packed.data();
  pack.k = k;
  pack.n = n;
  dense.pack(pack);
  const auto run = [product] {
    ropewalk::kernels::GemmJob job{};
    job.a = product->a.data();
    job.a_row = static_cast<std::ptrdiff_t>(product->k);
    job.a_k = 1;
    job.b = product->packed.data();
    job.c = product->c.data();
    job.c_row = static_cast<std::ptrdiff_t>(product->n);
    job.m = product->m;
    job.n = product->n;
    job.k = product->k;
    ropewalk::arch::active()->dense.gemm(job);
  };
  run();
  for (std::size_t i = 0; i < 64; ++i) {
    const std::size_t at = i * (m * n - 1) / 63;
    double sum = 0;
    for (std::size_t l = 0; l < k; ++l) {
      sum += static_cast<double>(product->a[at / n * k + l]) * weight[at % n * k + l];
    }
    if (!(std::abs(product->c[at] - sum) <= 1e-5 * std::sqrt(static_cast<double>(k)))) {
      return {std::nullopt, "its result is wrong"};
    }
  }
  return {Candidate{run}, ""};
}

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Encoder {
  ropewalk::Encoder model;
  std::vector<std::int32_t> ids;
};

Made encoder_of(const Words& words) {
  const std::string config = whole_file(words[1]), weights = whole_file(words[2]);
  const auto precision = words[4] == "int8" ? ropewalk::Precision::int8 : ropewalk::Precision::float32;
  auto model = ropewalk::Encoder::make(config, std::as_bytes(std::span(weights)), precision);
  if (!model.ok()) return {std::nullopt, model.status().message()};
  auto encoder = std::make_shared<Encoder>(Encoder{std::move(model.value()), {}});
  const std::string ids = whole_file(words[3]);
  encoder->ids.resize(ids.size() / sizeof(std::int32_t));
  std::memcpy(encoder->ids.data(), ids.data(), ids.size());
  const auto run = [encoder] {
    ropewalk::EncoderInput input;
    input.input_ids = encoder->ids;
    input.sequence = encoder->ids.size();
    ropewalk::EncoderWants wants;
    wants.logits = false;
    return encoder->model.forward(input, wants);
  };
  if (words.size() == 6) {
    const auto state = run().last_hidden_state;
    std::ofstream(words[5], std::ios::binary)
        .write(reinterpret_cast<const char*>(state.data()), static_cast<std::streamsize>(state.size_bytes()));
  }
  return {Candidate{[run] { run(); }}, ""};
}

}  // namespace

Made make_model(const Words& words) {
  if (words[0] == "product" && words.size() == 4) {
    return product_of(std::stoul(words[1]), std::stoul(words[2]), std::stoul(words[3]));
  }
  if (words[0] == "encoder" && (words.size() == 5 || words.size() == 6)) return encoder_of(words);
  if (words[0] == "peak") {
    auto kept = std::make_shared<float>(0.0F);
    // As many operations as "peak_operations" of suites/native.mjs divides by: 2 million multiply-adds.
    const long rounds = static_cast<long>(2000000 / peak_floats);
    return {Candidate{[kept, rounds] { *kept = multiply_add(rounds, *kept); }}, ""};
  }
  return {std::nullopt, "no candidate " + words[0]};
}

}  // namespace bench
