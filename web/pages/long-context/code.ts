import type { Snippets } from "../../code/code-drawer.js";
import { cppMembers, typescriptObject } from "../../code/literal.js";
import { BATCH } from "../../training/recipe.js";
import { type Betas, distanceOf, factors, ROWS, type Settings, scalingOf, trainingOf } from "./recipe.js";

/** Training and tests of the page as a program. */
export function longContextSnippets(settings: Settings, betas: Betas): Snippets {
  const { task, length, steps, seed, seeds } = settings;
  // YaRN's keys, with its betas where they are not the usual ones.
  const { factor: _, ...yarn } = (scalingOf("yarn", 1, length, betas).rope_scaling ?? {}) as Record<string, unknown>;
  const { rope_type: __, ...ends } = yarn;
  const more = Object.entries(ends).map(([key, value]) => `${key}: ${value}`);
  const moreInJson = Object.entries(ends).map(([key, value]) => `,"${key}":${value}`);
  const { config, optimizer } = trainingOf(settings);
  const options = cppMembers(optimizer, ["learningRate", "beta2", "weightDecay", "warmupSteps", "totalSteps"]);
  return {
    typescript: `import { load } from "ropewalk";

const ropewalk = await load();
for (let seed = ${seed}; seed < ${seed + seeds}; seed++) {
  const task = await ropewalk.task({ name: "${task}", distance: ${distanceOf(task)}, seed });
  const config = { ...${JSON.stringify(config)}, vocab_size: task.vocabSize };
  const optimizer = ${typescriptObject(optimizer)};

  const trainer = await ropewalk.trainer({ config, seed, optimizer });
  while (trainer.step < ${steps}) trainer.train(task.batch({ index: trainer.step, batch: ${BATCH}, sequence: ${length} }));
  const weights = trainer.save();

  for (const factor of [${factors.join(", ")}]) {
    const test = task.batch({ split: "validation", batch: ${ROWS}, sequence: factor * ${length} });
    for (const rope_scaling of [
      undefined, // the frequencies of training
      { rope_type: "linear", factor },
      { rope_type: "ntk", factor },
      { rope_type: "yarn", factor, ${more.join(", ")} },
      { rope_type: "dynamic", factor: 1 }, // follows the length of the sequence by itself
    ]) {
      const other = await ropewalk.trainer({ config: rope_scaling ? { ...config, rope_scaling } : config, weights });
      const { accuracy, loss } = other.evaluate(test);
      console.log(factor * ${length}, rope_scaling?.rope_type ?? "default", seed, accuracy.toFixed(6), loss.toFixed(6));
      other.dispose();
    }
  }
  trainer.dispose();
}
`,
    cpp: `#include <cstdio>
#include <string>

#include <ropewalk/task.hpp>
#include <ropewalk/trainer.hpp>

int main() {
  const ropewalk::Task task({.name = "${task}", .distance = ${distanceOf(task)}, .seed = ${seed}});
  const std::string model = R"(${JSON.stringify(config).slice(0, -1)},"vocab_size":)" +
                            std::to_string(task.vocab_size());
  const std::string config = model + "}";
  ropewalk::Trainer trainer({
      .spec = ropewalk::raise(ropewalk::spec_from_config(config)),
      .seed = ${seed},
      .optimizer = {${options.join(", ")}},
  });
  ropewalk::TaskBatch batch;
  while (trainer.step() < ${steps}) {
    task.make_batch(ropewalk::Split::train, trainer.step(), ${BATCH}, ${length}, batch);
    trainer.train(batch);
  }
  const auto weights = trainer.save();

  for (const int factor : {${factors.join(", ")}}) {
    task.make_batch(ropewalk::Split::validation, 0, ${ROWS}, factor * ${length}, batch);
    for (const std::string rule : {"default", "linear", "ntk", "yarn", "dynamic"}) {
      std::string scaled = model;
      if (rule != "default") {
        // dynamic follows the length of the sequence by itself
        const int own = rule == "dynamic" ? 1 : factor;
        scaled += R"(,"rope_scaling":{"rope_type":")" + rule + R"(","factor":)" + std::to_string(own);
        if (rule == "yarn") scaled += R"(${moreInJson.join("")})";
        scaled += "}";
      }
      scaled += "}";
      ropewalk::Trainer other({.spec = ropewalk::raise(ropewalk::spec_from_config(scaled)), .weights = weights});
      const auto [loss, accuracy] = other.evaluate(batch);
      std::printf("%d %s %.3f %.3f\\n", factor * ${length}, rule.c_str(), accuracy, loss);
    }
  }
}
`,
  };
}
