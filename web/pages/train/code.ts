import type { Snippets } from "../../code/code-drawer.js";
import { cppMembers, typescriptObject } from "../../code/literal.js";
import { BATCH, checkEvery, configOf, optimizerOf, VALIDATION } from "../../training/recipe.js";
import { state } from "./state.js";

/** The race of the controls as a program. */
export function trainSnippets(): Snippets {
  const settings = {
    size: state.size.value,
    sequence: Number(state.length.value),
    steps: Number(state.steps.value),
    rate: Number(state.rate.value),
  };
  const seeds = Array.from({ length: Number(state.seeds.value) }, (_, i) => state.seed.value + i);
  const { position_encoding: _, vocab_size: __, ...model } = configOf("rope", settings, 0);
  const optimizer = optimizerOf(settings);
  const [name, distance, every] = [state.task.value, state.distance.value, checkEvery(settings.steps)];
  const names = state.encodings.value.map((encoding) => `"${encoding}"`).join(", ");
  return {
    typescript: `import { load } from "ropewalk";

const ropewalk = await load();
const model = ${JSON.stringify(model, null, 2)};
const optimizer = ${typescriptObject(optimizer)};
const sequence = ${settings.sequence};

for (const seed of [${seeds.join(", ")}]) {
  const task = await ropewalk.task({ name: "${name}", distance: ${distance}, seed });
  const validation = task.batch({ split: "validation", batch: ${VALIDATION}, sequence });
  for (const position_encoding of [${names}]) {
    const config = { ...model, position_encoding, vocab_size: task.vocabSize };
    const trainer = await ropewalk.trainer({ config, seed, optimizer });
    while (trainer.step < ${settings.steps}) {
      trainer.train(task.batch({ index: trainer.step, batch: ${BATCH}, sequence }));
      if (trainer.step % ${every}) continue;
      const { loss, accuracy } = trainer.evaluate(validation);
      console.log(seed, position_encoding, trainer.step, loss.toFixed(4), accuracy.toFixed(4));
    }
    trainer.dispose();
  }
}
`,
    cpp: `#include <cstdio>
#include <string>

#include <ropewalk/task.hpp>
#include <ropewalk/trainer.hpp>

int main() {
  const std::string model = R"(${JSON.stringify(model).slice(0, -1)})";

  for (const unsigned seed : {${seeds.map((seed) => `${seed}u`).join(", ")}}) {
    const ropewalk::Task task({.name = "${name}", .distance = ${distance}, .seed = seed});
    ropewalk::TaskBatch batch, validation;
    task.make_batch(ropewalk::Split::validation, 0, ${VALIDATION}, ${settings.sequence}, validation);
    for (const char* encoding : {${names}}) {
      const std::string config = model + R"(,"position_encoding":")" + encoding + R"(","vocab_size":)" +
                                 std::to_string(task.vocab_size()) + "}";
      ropewalk::Trainer trainer({
          .spec = ropewalk::raise(ropewalk::spec_from_config(config)),
          .seed = seed,
          .optimizer = {${cppMembers(optimizer, ["learningRate", "beta2", "weightDecay", "warmupSteps", "totalSteps"]).join(", ")}},
      });
      while (trainer.step() < ${settings.steps}) {
        task.make_batch(ropewalk::Split::train, trainer.step(), ${BATCH}, ${settings.sequence}, batch);
        trainer.train(batch);
        if (trainer.step() % ${every} != 0) continue;
        const auto [loss, accuracy] = trainer.evaluate(validation);
        std::printf("%u %s %d %.4f %.4f\\n", seed, encoding, int(trainer.step()), loss, accuracy);
      }
    }
  }
}
`,
  };
}
