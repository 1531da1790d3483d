// Results of the steps: { step: { value } or { error } }.
import { STEPS } from "./steps.mjs";

/** Several runs as one: the first error of each step, or its value when all agree. */
export function allOf(runs) {
  return Object.fromEntries(
    STEPS.map((step) => {
      const wrong = runs.find((run) => run[step]?.value === undefined);
      if (wrong) return [step, wrong[step] ?? { error: "did not run" }];
      const values = [...new Set(runs.map((run) => run[step].value))];
      if (values.length > 1) return [step, { error: `values differ: ${values.join(" and ")}` }];
      const threads = [...new Set(runs.flatMap((run) => run[step].threads ?? []))].sort();
      return [step, { value: values[0], ...(threads.length > 0 && { threads }) }];
    }),
  );
}

/** Parts that a page which only rotates must not fetch, by strings that stay in these files however they are bundled. */
export function lateParts(read) {
  return {
    "the analysis": inlinedBytes(read("analysis-inlined.js")),
    "the model": inlinedBytes(read("model-inlined.js")),
    "the decoder": inlinedBytes(read("decoder-inlined.js")),
    "the trainer": inlinedBytes(read("train-inlined.js")),
    "the tokenizer": "ByteFallback",
  };
}

/** The first characters differ for every module: gzip's header is the same in all. */
function inlinedBytes(text) {
  const base64 = /[A-Za-z0-9+/]{1000,}/.exec(text)?.[0];
  if (!base64) throw new Error("no inlined module where one should be");
  return base64.slice(200, 260);
}

/** @throws Error when the page that only rotates has an error or fetched what it does not need. */
export function checkRotateOnly({ results, fetched }, parts) {
  if (results.rotate?.error) throw new Error(`the page that only rotates: ${results.rotate.error}`);
  for (const [what, text] of Object.entries(parts)) {
    const found = fetched.find((each) => each.text.includes(text));
    if (found) throw new Error(`the page that only rotates fetched ${what}: ${found.address}`);
  }
}

/** Steps of the row whose values are not those of the first row, which is Node. */
export function agreeing([first], row) {
  if (!row.results || !first.results) return [];
  return STEPS.filter((step) => {
    const [expected, found] = [first.results[step]?.value, row.results[step]?.value];
    return expected !== undefined && found !== undefined && expected !== found;
  }).map(
    (step) => `${step}: gave ${row.results[step].value}, but ${first.host.name} gave ${first.results[step].value}`,
  );
}
