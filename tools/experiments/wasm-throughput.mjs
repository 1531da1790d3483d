// The WebAssembly half of the throughput: the same steps through the built package. A line of JSON for each line of the
// plan, as ropewalk_experiments writes them.
import { readFileSync } from "node:fs";
import { load } from "../../dist/node.js";

const ropewalk = await load();
for (const line of readFileSync(process.argv[2], "utf8").trim().split("\n")) {
  const settings = JSON.parse(line);
  const task = await ropewalk.task({ name: settings.task, distance: settings.distance, seed: settings.seed });
  const config = { ...JSON.parse(settings.config), vocab_size: task.vocabSize };
  const optimizer = { learningRate: settings.learning_rate };
  const trainer = await ropewalk.trainer({ config, seed: settings.seed, optimizer });
  const batches = Array.from({ length: 8 }, (_, index) =>
    task.batch({ index, batch: settings.batch, sequence: settings.length }),
  );
  const train = (count) => {
    const seconds = [];
    for (let i = 0; i < count; ++i) {
      const begun = process.cpuUsage();
      trainer.train(batches[i % batches.length]);
      const { user, system } = process.cpuUsage(begun);
      seconds.push((user + system) / 1e6);
    }
    return seconds;
  };
  train(settings.warmup_steps);
  const seconds = train(settings.steps).toSorted((a, b) => a - b);
  const median = seconds[seconds.length >> 1];
  const tokens_per_second = (settings.batch * settings.length) / median;
  process.stdout.write(`${JSON.stringify({ key: settings.key, step_seconds: median, tokens_per_second })}\n`);
  trainer.dispose();
  task.dispose();
}
