#include "train/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "formats/json/value.hpp"
#include "nn/threads.hpp"
#include "options/check.hpp"
#include "train/optimizer_options.hpp"

namespace ropewalk::trainer {
namespace {

constexpr std::string_view step_name = "optimizer.step";
constexpr std::uint64_t step_shape[] = {4};

// A tensor of the optimiser with the size that it must have.
Result<const SafetensorsTensor*> find(const Safetensors& checkpoint, const std::string& name,
                                      std::uint64_t size) {
  const SafetensorsTensor* tensor = checkpoint.find(name);
  const std::string begin = "trainer: tensor " + json::quoted(std::string_view(name));
  if (tensor == nullptr) {
    return Status::type(
        begin + " is missing from `weights`; allowed: the whole state of the optimiser, or none of it");
  }
  if (tensor->elements != size) {
    return Status::range(begin + " has " + std::to_string(tensor->elements) +
                         " elements; allowed: " + std::to_string(size) + ", those of its parameter");
  }
  return tensor;
}

}  // namespace

Status check_optimizer(const OptimizerOptions& options) {
  constexpr std::string_view function = "trainer", path = "optimizer.";
  ROPEWALK_TRY(options::check_ranges(function, path, options));
  if (options.total_steps != 0 && options.total_steps < options.warmup_steps) {
    return out_of_range(function, "optimizer.total_steps", std::to_string(options.total_steps),
                        "0, or at least `warmup_steps` = " + std::to_string(options.warmup_steps));
  }
  return {};
}

Result<Optimizer> Optimizer::make(const OptimizerOptions& options, const model::parameters::Table& table) {
  ROPEWALK_TRY(check_optimizer(options));
  Optimizer optimizer;
  optimizer.options_ = options;
  const auto size = static_cast<std::size_t>(table.size());
  for (Buffer<float>* moments : {&optimizer.first_, &optimizer.second_}) {
    ROPEWALK_TRY(moments->allocate(size, "trainer: moments"));
    std::fill_n(moments->data(), size, 0.0F);
  }
  for (const model::parameters::Parameter& parameter : table.all()) {
    optimizer.names_.push_back("optimizer.first_moment." + parameter.name);
    optimizer.names_.push_back("optimizer.second_moment." + parameter.name);
  }
  return Result<Optimizer>(std::move(optimizer));
}

double Optimizer::next_rate() const { return learning_rate(options_, step_ + 1); }

void Optimizer::apply(nn::Compute compute, const model::parameters::Table& table,
                      std::span<const float> gradients, double norm, std::span<float> values,
                      Threads& threads) {
  ++step_;
  kernels::AdamJob shared{};
  shared.rate = static_cast<float>(learning_rate(options_, step_));
  shared.beta1 = static_cast<float>(options_.beta1);
  shared.beta2 = static_cast<float>(options_.beta2);
  shared.eps = static_cast<float>(options_.epsilon);
  shared.correction1 = static_cast<float>(1 / (1 - power(options_.beta1, step_)));
  shared.correction2 = static_cast<float>(1 / (1 - power(options_.beta2, step_)));
  const bool clips = options_.clip_norm > 0 && norm > options_.clip_norm;
  shared.gradient_scale = clips ? static_cast<float>(options_.clip_norm / norm) : 1.0F;
  nn::in_parts(threads, table.all().size(), [&](std::size_t i, std::size_t) {
    const model::parameters::Parameter& parameter = table.all()[i];
    const auto offset = static_cast<std::size_t>(parameter.offset);
    kernels::AdamJob job = shared;
    job.parameter = values.data() + offset;
    job.gradient = gradients.data() + offset;
    job.m = first_.data() + offset;
    job.v = second_.data() + offset;
    job.count = static_cast<std::size_t>(parameter.size);
    job.weight_decay = parameter.decays ? static_cast<float>(options_.weight_decay) : 0.0F;
    compute.dense().adam(job);
  });
}

void Optimizer::add_sources(const model::parameters::Table& table,
                            std::vector<SafetensorsSource>& sources) const {
  for (std::size_t i = 0; i < table.all().size(); ++i) {
    const model::parameters::Parameter& parameter = table.all()[i];
    const auto offset = static_cast<std::size_t>(parameter.offset),
               size = static_cast<std::size_t>(parameter.size);
    sources.push_back({names_[2 * i], parameter.shape, first_.span().subspan(offset, size)});
    sources.push_back({names_[2 * i + 1], parameter.shape, second_.span().subspan(offset, size)});
  }
  for (int part = 0; part < 4; ++part) step_parts_[part] = static_cast<float>(step_ >> (16 * part) & 0xffff);
  sources.push_back({step_name, step_shape, step_parts_});
}

Status Optimizer::restore(const model::parameters::Table& table, const Safetensors& checkpoint) {
  if (checkpoint.find(step_name) == nullptr) return {};
  Result<const SafetensorsTensor*> step = find(checkpoint, std::string(step_name), 4);
  if (!step.ok()) return step.status();
  float parts[4];
  ROPEWALK_TRY(try_read_float32(*step.value(), parts));
  for (std::size_t i = 0; i < table.all().size(); ++i) {
    const model::parameters::Parameter& parameter = table.all()[i];
    for (std::size_t moment = 0; moment < 2; ++moment) {
      ROPEWALK_LET(tensor, find(checkpoint, names_[2 * i + moment], parameter.size));
      Buffer<float>& moments = moment == 0 ? first_ : second_;
      ROPEWALK_TRY(
          try_read_float32(*tensor, moments.span().subspan(static_cast<std::size_t>(parameter.offset),
                                                           static_cast<std::size_t>(parameter.size))));
    }
  }
  std::uint64_t steps = 0;
  for (int part = 3; part >= 0; --part) {
    const float value = parts[part];
    if (!(value >= 0 && value <= 65535 && value == std::floor(value))) {
      return Status::range("trainer: tensor \"optimizer.step\" holds " + text_of(static_cast<double>(value)) +
                           "; allowed: whole numbers from 0 to 65535, the step in parts of 16 bits");
    }
    steps = steps << 16 | static_cast<std::uint64_t>(value);
  }
  step_ = steps;
  return {};
}

}  // namespace ropewalk::trainer
