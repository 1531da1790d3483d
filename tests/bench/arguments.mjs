// Arguments of the commands.

/** The suites that run in Node and in Chromium alike, and those that run in Node only. */
const IN_BOTH = ["rotation", "matmul", "encoder", "call", "models", "decoders"];
const IN_NODE = ["training", "batches", "startup", "native"];
const HOSTS = ["node", "browser"];
export const PARTS = [...IN_BOTH, ...IN_NODE, ...HOSTS];

export const USAGE = `npm run bench -- [--quick] [--long] [--only <part>[,<part>]] [--json <file>] [--document]
  --quick        few shapes, few samples: one suite takes under a minute once everything is built
  --long         models and decoders: more samples of each case, half an hour
  --only         ${PARTS.join(", ")}: these suites, all unless one is named; node or browser (Chromium) alone
                 unless both or neither is named
  --json         writes all figures to a file
  --document     writes docs/performance/results.json and docs/performance.md; with --only in place of the same cases
                 that are there, each with the commit and the machine of this run
  --redocument   measures nothing: docs/performance.md again, from the results and the notes that are there`;

const SWITCHES = ["quick", "long", "document", "redocument"];

/** { quick, long, only, json, document, redocument }; throws a RangeError that says what is allowed. */
export function parseArguments(args) {
  const options = { quick: false, long: false, only: [], json: undefined, document: false, redocument: false };
  const rest = [...args];
  const value = (name, allowed) => {
    const next = rest.shift();
    if (next === undefined || next.startsWith("--"))
      throw new RangeError(`${name} lacks its value; allowed: ${allowed}`);
    return next;
  };
  while (rest.length > 0) {
    const name = rest.shift();
    if (SWITCHES.includes(name.slice(2)) && name.startsWith("--")) options[name.slice(2)] = true;
    else if (name === "--json") options.json = value(name, "a file");
    else if (name === "--only") {
      for (const part of value(name, PARTS.join(", ")).split(",")) {
        if (!PARTS.includes(part)) throw new RangeError(`--only is "${part}"; allowed: ${PARTS.join(", ")}`);
        options.only.push(part);
      }
    } else throw new RangeError(`there is no option "${name}"\n\n${USAGE}`);
  }
  if (options.quick && options.long) throw new RangeError("--quick and --long exclude each other");
  if (options.quick && options.document)
    throw new RangeError("--document is for figures that others will read: leave --quick out");
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
