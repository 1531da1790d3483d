#include "data.hpp"

#include <cmath>

namespace ropewalk::experiments {
namespace {

class OfTask : public Data {
 public:
  explicit OfTask(const TaskOptions& options) : task_(options) {}

  Objective objective() const override { return Objective::masked_language_model; }
  std::size_t vocab_size() const override { return task_.vocab_size(); }
  double chance() const override { return task_.chance_accuracy(); }
  Rows make(Split split, std::uint64_t index, std::size_t count, std::size_t length) const override {
    const auto batch = std::make_shared<TaskBatch>();
    task_.make_batch(split, index, count, length, *batch);
    const auto copy = [](std::span<const std::int32_t> from) {
      return std::vector(from.begin(), from.end());
    };
    return {count, length, copy(batch->input_ids()), copy(batch->attention_mask()), copy(batch->labels()),
            {},    batch};
  }
  Evaluation best(const Rows& rows) const override { return task_.best(*rows.of_task); }

 private:
  Task task_;
};

}  // namespace

Evaluation Data::best(const Rows&) const { return {.loss = NAN, .accuracy = NAN}; }

std::unique_ptr<Data> make_data(const std::string& name, std::size_t distance, std::uint64_t seed) {
  if (name == "characters") return make_characters(seed);
  if (std::unique_ptr<Data> glue = make_glue(name, seed)) return glue;
  if (std::unique_ptr<Data> documents = make_documents(name, distance, seed)) return documents;
  return std::make_unique<OfTask>(TaskOptions{.name = name, .distance = distance, .seed = seed});
}

}  // namespace ropewalk::experiments
