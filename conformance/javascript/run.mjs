// Runs the vectors against an implementation, in Node or in a page: node conformance/javascript/run.mjs ADAPTER.mjs
// README.md in the folder above says what an adapter is. Exit code 0: all within the tolerances; 1: some are not.

const flat = (made) => (typeof made === "number" ? [made] : Array.from(made).flatMap(flat));

/** The largest difference as a share of what is allowed; Infinity for NaN and for a wrong number of values. */
function share(made, expected, allowed) {
  if (made.length !== expected.length || made.some(Number.isNaN)) return Infinity;
  return Math.max(...made.map((value, i) => Math.abs(value - expected[i]) / Math.max(allowed[i], Number.MIN_VALUE)));
}

/** Yields [method, arguments, expected values, largest differences allowed] for all that an adapter may show of a rope. */
function* comparisons({ magnitude, x, rotary_dim: d }, column, positions, pairing, r, u) {
  yield ["theta", [], column.theta, column.theta.map((each) => r * Math.abs(each))];
  yield ["magnitude", [], [magnitude], [r * magnitude]];
  for (const [row, position] of positions.entries()) {
    const { cos, sin } = column.tables[row];
    const errors = column.theta.map((each) => Math.abs(position * each) * r); // of the angles
    const limits = errors.map((error) => magnitude * (u + error));
    yield ["table", [position], [...cos, ...sin], [...limits, ...limits]];
    const allowed = x.map(() => 0);
    for (const [j, error] of errors.entries()) {
      const [a, b] = pairing === "half" ? [j, j + d / 2] : [2 * j, 2 * j + 1];
      allowed[a] = allowed[b] = magnitude * Math.hypot(x[a], x[b]) * (2 * u + error);
    }
    yield ["rotate", [x, position], column.rotated[pairing][row], allowed];
  }
}

/** `load(name)` returns a file of the vectors, parsed; `say` takes each line of the report. */
export async function run(adapter, load, say = console.log) {
  const { files, tolerances } = await load("index.json");
  const tolerance = tolerances[adapter.precision];
  const result = { held: true, values: 0, unsupported: [], worst: 0 };
  for (const { rule, positions, cases } of await Promise.all(files.map(load))) {
    const found = new Map();
    for (const one of cases) {
      for (const pairing of ["half", "interleaved"]) {
        const ropes = [["", await adapter.make(one, pairing)]];
        for (const form of adapter.read ? ["huggingface", "huggingface_5", "gguf"] : []) {
          const config = one[form][pairing]; // A text says why there is no such form.
          if (typeof config === "object") ropes.push([`${form} `, await adapter.read(config, one)]);
        }
        const given = [one, adapter.precision === "float32" ? one.float32 : one, positions, pairing];
        for (const [form, rope] of ropes) {
          if (!rope) result.unsupported.push(`${form}${rule}: ${one.name}, ${pairing}`);
          for (const [method, args, expected, allowed] of comparisons(...given, tolerance.theta, tolerance.value)) {
            if (!rope?.[method]) continue;
            const worst = share(flat(rope[method](...args)), expected, allowed);
            found.set(form + method, Math.max(found.get(form + method) ?? 0, worst));
            result.values += expected.length;
          }
        }
      }
    }
    say(
      `${rule}: ${Array.from(found, ([what, worst]) => `${what} ${worst.toFixed(3)}`).join(", ") || "not supported"}`,
    );
    result.worst = Math.max(result.worst, ...found.values());
  }
  result.held = result.worst <= 1;
  say(`${result.held ? "All hold" : "SOME DO NOT HOLD"}: largest difference as a share of the tolerance`);
  return result;
}

if (typeof process === "object" && process.argv[1] && import.meta.url.endsWith(process.argv[1].split("/").pop())) {
  const [{ readFile }, { pathToFileURL }] = await Promise.all([import("node:fs/promises"), import("node:url")]);
  const load = async (name) => JSON.parse(await readFile(new URL(`../vectors/${name}`, import.meta.url), "utf8"));
  const { default: adapter } = await import(pathToFileURL(process.argv[2] ?? "ADAPTER.mjs"));
  const { held, unsupported } = await run(adapter, load);
  for (const each of unsupported) console.log(`not supported: ${each}`);
  process.exitCode = held ? 0 : 1;
}
