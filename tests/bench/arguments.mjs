// Arguments of the commands.
import { parseArgs } from "node:util";
import { SetUpError } from "../../tools/setup/progress.mjs";

/** The suites that run in Node and in Chromium alike, and those that run in Node only. */
const IN_BOTH = ["rotation", "matmul", "encoder", "call", "models", "decoders"];
const IN_NODE = ["training", "batches", "startup", "native"];
const HOSTS = ["node", "browser"];
const PARTS = [...IN_BOTH, ...IN_NODE, ...HOSTS];

const USAGE = `npm run bench -- [--quick] [--long] [--only <part>[,<part>]] [--document]
  --quick        few shapes, few samples: one suite takes under a minute once everything is built
  --long         models and decoders: more samples of each case, half an hour
  --only         ${PARTS.join(", ")}: these suites, all unless one is named; node or browser (Chromium) alone
                 unless both or neither is named
  --document     writes docs/performance/results.json and docs/performance.md; with --only in place of the same cases
                 that are there, each with the commit and the machine of this run
  --redocument   measures nothing: docs/performance.md again, from the results and the notes that are there`;

const FLAG = { type: "boolean", default: false };

/** The values of the commands' options; throws a SetUpError that says what is allowed. `--only` names some of `parts`. */
export function readOptions(args, options, parts, usage) {
  let values;
  try {
    ({ values } = parseArgs({
      args,
      options: { ...options, quick: FLAG, only: { type: "string", multiple: true, default: [] } },
    }));
  } catch (error) {
    throw new SetUpError(`${error.message}\n\n${usage}`);
  }
  const only = values.only.flatMap((list) => list.split(","));
  const unknown = only.find((part) => !parts.includes(part));
  if (unknown !== undefined) throw new SetUpError(`--only is "${unknown}"; allowed: ${parts.join(", ")}`);
  return { ...values, only };
}

/** { quick, long, only, document, redocument }; throws a SetUpError that says what is allowed. */
export function parseArguments(args) {
  const known = { long: FLAG, document: FLAG, redocument: FLAG };
  const options = readOptions(args, known, PARTS, USAGE);
  if (options.quick && options.long) throw new SetUpError("--quick and --long exclude each other");
  if (options.quick && options.document)
    throw new SetUpError("--document is for figures that others will read: leave --quick out");
  return options;
}

/** The suites to run: [[host, suite]], hosts "node" and "chromium". */
export function planOf(only) {
  const suites = only.filter((part) => !HOSTS.includes(part));
  const hosts = HOSTS.filter((host) => only.includes(host));
  const chosen = (list) => list.filter((suite) => suites.length === 0 || suites.includes(suite));
  const on = (host) => hosts.length === 0 || hosts.includes(host);
  return [
    ...(on("node") ? chosen([...IN_BOTH, ...IN_NODE]).map((suite) => ["node", suite]) : []),
    ...(on("browser") ? chosen(IN_BOTH).map((suite) => ["chromium", suite]) : []),
  ];
}
