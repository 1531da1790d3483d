// Runs the vectors against an implementation, in Node or in a page: node conformance/javascript/run.mjs ADAPTER.mjs
// README.md in the folder above says what an adapter is. Exit code 0: all within the tolerances; 1: some are not.

const flat = (made) => (typeof made === "number" ? [made] : Array.from(made).flatMap(flat));

/** The largest difference as a share of what is allowed; Infinity for NaN and for a wrong number of values. */
function share(made, expected, allowed) {
  if (made.length !== expected.length || made.some(Number.isNaN)) return Infinity;
  return Math.max(...made.map((value, i) => Math.abs(value - expected[i]) / Math.max(allowed[i], Number.MIN_VALUE)));
}

/** Comparisons at one position: a number, or a list with one for each axis, each with frequencies of its own. */
function* ofPosition({ magnitude, x }, theta, [first, second], position, { cos, sin }, y, { theta: r, value: u }) {
  const [at, rows] = Array.isArray(position) ? [position, theta] : [[position], [theta]];
  const errors = cos.map((_, j) => at.reduce((sum, p, axis) => sum + Math.abs(p * rows[axis][j]), 0) * r); // of the angles
  const limits = errors.map((error) => magnitude * (u + error));
  yield ["table", [position], [...cos, ...sin], [...limits, ...limits]];
  const allowed = x.map(() => 0);
  for (const [j, error] of errors.entries()) {
    const [a, b] = [first[j], second[j]];
    allowed[a] = allowed[b] = magnitude * Math.hypot(x[a], x[b]) * (2 * u + error);
  }
  yield ["rotate", [x, position], y, allowed];
}

/** Yields [method, arguments, expected values, largest differences allowed] for all that an adapter may show of a rope. */
function* comparisons(one, column, positions, pairing, tolerance) {
  const { magnitude, rotary_dim: d } = one;
  const { theta: r } = tolerance;
  yield ["theta", [], column.theta, column.theta.map((each) => r * Math.abs(each))];
  yield ["magnitude", [], [magnitude], [r * magnitude]];
  const pairs = Array.from({ length: d / 2 }, (_, j) => (pairing === "half" ? [j, j + d / 2] : [2 * j, 2 * j + 1]));
  const channels = [0, 1].map((which) => pairs.map((each) => each[which]));
  for (const [row, position] of positions.entries())
    yield* ofPosition(
      one,
      column.theta,
      channels,
      position,
      column.tables[row],
      column.rotated[pairing][row],
      tolerance,
    );
}

function* comparisonsOfAxes(one, tolerance) {
  const { magnitude, theta, channels, positions, tables, rotated } = one;
  yield ["magnitude", [], [magnitude], [tolerance.theta * magnitude]];
  for (const [row, position] of positions.entries())
    yield* ofPosition(one, theta, channels, position, tables[row], rotated[row], tolerance);
}

/** `load(name)` returns a file of the vectors, parsed; `say` takes each line of the report. */
export async function run(adapter, load, say = console.log) {
  const { files, axes, tolerances } = await load("index.json");
  const tolerance = tolerances[adapter.precision];
  const result = { held: true, values: 0, unsupported: [], worst: 0 };
  const compare = (rope, form, given, found) => {
    for (const [method, args, expected, allowed] of given) {
      if (!rope?.[method]) continue;
      const worst = share(flat(rope[method](...args)), expected, allowed);
      found.set(form + method, Math.max(found.get(form + method) ?? 0, worst));
      result.values += expected.length;
    }
  };
  const report = (what, found) => {
    say(
      `${what}: ${Array.from(found, ([name, worst]) => `${name} ${worst.toFixed(3)}`).join(", ") || "not supported"}`,
    );
    result.worst = Math.max(result.worst, ...found.values());
  };
  for (const { rule, positions, cases } of await Promise.all(files.map(load))) {
    const found = new Map();
    for (const one of cases) {
      for (const pairing of ["half", "interleaved"]) {
        const ropes = [["", await adapter.make(one, pairing)]];
        for (const form of adapter.read ? ["huggingface", "huggingface_5", "gguf"] : []) {
          const config = one[form][pairing]; // A text says why there is no such form.
          if (typeof config === "object") ropes.push([`${form} `, await adapter.read(config, one)]);
        }
        const given = [one, adapter.precision === "float32" ? one.float32 : one, positions, pairing, tolerance];
        for (const [form, rope] of ropes) {
          if (!rope) result.unsupported.push(`${form}${rule}: ${one.name}, ${pairing}`);
          compare(rope, form, comparisons(...given), found);
        }
      }
    }
    report(rule, found);
  }
  if (adapter.axes && adapter.precision !== "float32") {
    const found = new Map();
    for (const one of (await load(axes)).cases) {
      const rope = await adapter.make(one, one.pairing);
      if (!rope) result.unsupported.push(`axes: ${one.name}`);
      compare(rope, "", comparisonsOfAxes(one, tolerance), found);
    }
    report("axes", found);
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
