// What the commands take.

export const PARTS = ["rotation", "matmul", "encoder", "call", "training", "batches", "startup", "native", "browser"];

export const USAGE = `npm run bench -- [--quick] [--only <part>[,<part>]] [--json <file>] [--document]
  --quick        few shapes, few samples: under a minute once everything is built
  --only         ${PARTS.join(", ")}; browser alone is all that runs in Chromium, with another part that part there
  --json         writes all figures to a file
  --document     writes docs/performance/results.json and docs/performance.md; of a whole run only
  --redocument   measures nothing: docs/performance.md again, from the results and the notes that are there`;

/** { quick, only, json, document, redocument }; throws a RangeError that says what is allowed. */
export function parseArguments(args) {
  const options = { quick: false, only: [], json: undefined, document: false, redocument: false };
  const rest = [...args];
  const value = (name, allowed) => {
    const next = rest.shift();
    if (next === undefined || next.startsWith("--"))
      throw new RangeError(`${name} lacks its value; allowed: ${allowed}`);
    return next;
  };
  while (rest.length > 0) {
    const name = rest.shift();
    if (name === "--quick" || name === "--document" || name === "--redocument") options[name.slice(2)] = true;
    else if (name === "--json") options.json = value(name, "a file");
    else if (name === "--only") {
      for (const part of value(name, PARTS.join(", ")).split(",")) {
        if (!PARTS.includes(part)) throw new RangeError(`--only is "${part}"; allowed: ${PARTS.join(", ")}`);
        options.only.push(part);
      }
    } else throw new RangeError(`there is no option "${name}"\n\n${USAGE}`);
  }
  if (options.document && (options.quick || options.only.length > 0)) {
    throw new RangeError("--document is for a whole run: leave --quick and --only out");
  }
  return options;
}

/** The suites to run: [[host, suite]], hosts "node" and "chromium". */
export function planOf(only) {
  const both = ["rotation", "matmul", "encoder", "call"];
  const nodeOnly = ["training", "batches", "startup", "native"];
  const parts = only.filter((part) => part !== "browser");
  const chosen = (suites) => (parts.length === 0 ? suites : suites.filter((suite) => parts.includes(suite)));
  const inNode = only.length === 1 && only[0] === "browser" ? [] : chosen([...both, ...nodeOnly]);
  const inPage = only.length === 0 || only.includes("browser") ? chosen(both) : [];
  return [
    ...inNode.filter((suite) => !(only.includes("browser") && both.includes(suite))).map((suite) => ["node", suite]),
    ...inPage.map((suite) => ["chromium", suite]),
  ];
}
