// The memory of a training step is there before it: from the third step on none is allocated.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "ropewalk/trainer.hpp"

namespace {
std::atomic<int> allocations = 0;
}  // namespace

// Small things come from operator new, data from aligned_alloc, whose calls the linker sends here.
extern "C" void* __real_aligned_alloc(std::size_t alignment, std::size_t size);
extern "C" void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __real_aligned_alloc(alignment, size);
}
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace ropewalk {
namespace {

std::string config(const std::string& encoding) {
  return R"({"vocab_size": 12, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
             "intermediate_size": 64, "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1,
             "max_position_embeddings": 32, "position_encoding": ")" +
         encoding + "\"}";
}

/// Every name, from the message that lists them.
std::vector<std::string> encodings() {
  const std::string message = spec_from_config(config("?")).status().message();
  const std::string before = "allowed: ";
  std::vector<std::string> names;
  std::size_t at = message.find(before) + before.size();
  while (at < message.size()) {
    const std::size_t end = std::min(message.find(", ", at), message.size());
    names.push_back(message.substr(at, end - at));
    at = end + 2;
  }
  return names;
}

struct Batch {
  std::vector<std::int32_t> ids, mask, labels;
  explicit Batch(std::size_t tokens) : ids(4 * tokens), mask(ids.size(), 1), labels(ids.size()) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ids[i] = static_cast<std::int32_t>(i * 7 % 12);
      labels[i] = i % 3 == 0 ? static_cast<std::int32_t>(i % 12) : -100;
    }
    // The shards' sequences end at different places.
    for (std::size_t t = tokens - 2; t < tokens; ++t) mask[t] = mask[tokens + t] = 0;
  }
  operator TrainerBatch() const {
    return {{.input_ids = ids, .batch = 4, .sequence = ids.size() / 4, .attention_mask = mask}, labels};
  }
};

Trainer trainer(const Spec& spec, Objective objective = Objective::masked_language_model) {
  return raise(Trainer::make({.spec = spec,
                              .objective = objective,
                              .optimizer = {.learning_rate = 0.01},
                              .shards = 2,
                              .threads = 2}));
}

/// Trains with each batch in turn; the first `warm` steps may allocate.
void expect_none_after(std::size_t warm, Trainer trainer, const std::vector<TrainerBatch>& batches) {
  TrainingStep step;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const int before = allocations;
    const Status status = trainer.try_train(batches[i], step);
    ASSERT_TRUE(status.ok()) << status.message();
    if (i >= warm) EXPECT_EQ(allocations - before, 0) << "step " << i + 1;
  }
}

TEST(Allocations, AreSeen) {
  const int before = allocations;
  const std::vector<int> some(100);
  ASSERT_TRUE(Trainer::make({.spec = raise(spec_from_config(config("rope")))}).ok());
  EXPECT_GT(allocations, before + 10);
}

TEST(Allocations, NoneInATrainingStepOfAnyEncoding) {
  const std::vector<std::string> names = encodings();
  ASSERT_GE(names.size(), 13U);
  const Batch whole(24), less(17);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    // Shorter ones fit.
    expect_none_after(2, trainer(raise(spec_from_config(config(name)))), {whole, whole, whole, less, whole});
  }
}

TEST(Allocations, NoneInATrainingStepOfACausalModel) {
  Spec spec = raise(spec_from_config(config("rope")));
  spec.attention.causal = true;
  spec.attention.packing = AttentionSpec::Packing::per_head;
  spec.attention.qk_norm = NormSpec{.kind = NormKind::rms, .eps = 1e-6, .bias = false};
  spec.attention.soft_cap = 10;
  spec.embedding.scale = 2;
  spec.placement = NormPlacement::sandwich;
  spec.feed_forward.gated = true;
  spec.heads = {{.kind = "causal_lm", .bias = false, .tied = true, .soft_cap = 5}};
  const Batch batch(24);
  TrainerBatch unlabelled = batch;
  unlabelled.labels = {};
  expect_none_after(2, trainer(spec, Objective::causal_language_model),
                    {unlabelled, batch, unlabelled, batch, unlabelled});
}

TEST(Allocations, NoneInAContrastiveTrainingStep) {
  const Batch given(24);
  TrainerBatch batch = given;
  batch.labels = {};
  expect_none_after(1, trainer(raise(spec_from_config(config("rope"))), Objective::contrastive),
                    {batch, batch, batch, batch});
}

}  // namespace
}  // namespace ropewalk
