// The metrics that GLUE has for a task, by the code of `ropewalk fine-tune`, which is TypeScript.
import { join } from "node:path";
import { build } from "esbuild";
import { projectRoot } from "../setup/environment.mjs";

const { outputFiles } = await build({
  entryPoints: [join(projectRoot(), "bindings/ts/cli/glue/tasks.ts")],
  bundle: true,
  write: false,
  format: "esm",
});
const code = Buffer.from(outputFiles[0].contents).toString("base64");
const { METRIC_CHOICES, METRICS, TASKS } = await import(`data:text/javascript;base64,${code}`);

/** The task of GLUE that a generated one is like. */
export const LIKE = { acceptability: "cola", coreference: "rte", similarity: "sts-b" };

/** { matthews: 0.5, accuracy: 0.7 }: what GLUE reports for such a task. `expected` and `found`: classes or numbers. */
export function glueMetrics(task, expected, found) {
  const names = METRIC_CHOICES[TASKS[LIKE[task]].metric];
  return Object.fromEntries(names.map((name) => [name, METRICS[name](expected, found)]));
}
