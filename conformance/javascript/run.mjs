// Runs the vectors against an implementation, in Node or in a page.
//   node conformance/javascript/run.mjs ADAPTER.mjs
// README.md beside this folder says what an adapter is. Exit code 0: all within the tolerances; 1: some are not.

/** The largest difference as a share of what is allowed; Infinity for NaN and for another number of values. */
function share(made, expected, allowed) {
  if (made.length !== expected.length) return Infinity;
  return Array.from(made).reduce((worst, value, i) => {
    const difference = Math.abs(value - expected[i]);
    const each = difference === 0 ? 0 : difference / allowed[i];
    return Math.max(worst, Number.isNaN(each) ? Infinity : each);
  }, 0);
}

/** Yields [what, values, share of the tolerance] for everything that the implementation offers. */
function* checks(one, pairing, positions, rope, precision, tolerance) {
  const { theta, tables, rotated } = precision === "float32" ? one.float32 : one;
  const { magnitude, x, rotary_dim: d } = one;
  const relative = (values) => values.map((value) => tolerance.theta * Math.abs(value));
  if (rope.pairing) yield ["pairing", 1, rope.pairing() === pairing ? 0 : Infinity];
  if (rope.theta) yield ["theta", d / 2, share(rope.theta(), theta, relative(theta))];
  if (rope.magnitude) yield ["magnitude", 1, share([rope.magnitude()], [magnitude], relative([magnitude]))];
  for (const [row, position] of positions.entries()) {
    const angle = theta.map((each) => Math.abs(position * each) * tolerance.theta);
    if (rope.table) {
      const limits = angle.map((each) => magnitude * (tolerance.value + each));
      const [cos, sin] = rope.table(position);
      yield ["table", d / 2, share(cos, tables[row].cos, limits)];
      yield ["table", d / 2, share(sin, tables[row].sin, limits)];
    }
    if (rope.rotate) {
      const limits = x.map(() => 0);
      for (const [j, each] of angle.entries()) {
        const [a, b] = pairing === "half" ? [j, j + d / 2] : [2 * j, 2 * j + 1];
        limits[a] = limits[b] = magnitude * Math.hypot(x[a], x[b]) * (2 * tolerance.value + each);
      }
      yield ["rotated", x.length, share(rope.rotate(x, position), rotated[pairing][row], limits)];
    }
  }
}

/**
 * Runs all vectors. `adapter` has `precision`, `make(case, pairing)` and, if it reads configurations, `read(config, case)`;
 * `load(name)` returns a file of the vectors, parsed; `say` takes each line of the report.
 */
export async function run(adapter, load, say = console.log) {
  const { files, tolerances } = await load("index.json");
  const result = { held: true, values: 0, unsupported: [], worst: 0 };
  for (const name of files) {
    const file = await load(name);
    const found = new Map();
    for (const one of file.cases) {
      for (const pairing of ["half", "interleaved"]) {
        const ropes = [["", await adapter.make(one, pairing)]];
        for (const form of adapter.read ? ["huggingface", "huggingface_5", "gguf"] : []) {
          const config = one[form][pairing];
          // A text says why there is no such form.
          if (typeof config === "object") ropes.push([`${form} `, await adapter.read(config, one)]);
        }
        for (const [form, rope] of ropes) {
          if (!rope) {
            result.unsupported.push(`${form}${file.rule}: ${one.name}, ${pairing}`);
            continue;
          }
          const positions = form ? [] : file.positions;
          const { precision } = adapter;
          for (const [what, values, worst] of checks(one, pairing, positions, rope, precision, tolerances[precision])) {
            const before = found.get(form + what) ?? { values: 0, worst: 0 };
            found.set(form + what, { values: before.values + values, worst: Math.max(before.worst, worst) });
          }
        }
      }
    }
    for (const { values, worst } of found.values()) {
      result.values += values;
      result.worst = Math.max(result.worst, worst);
    }
    const rows = [...found].map(([what, { values, worst }]) => `${what} ${worst.toFixed(3)} (${values})`);
    say(`${file.rule}: ${rows.join(", ") || "not supported"}`);
  }
  result.held = result.worst <= 1;
  say(
    `${result.held ? "All hold" : "SOME DO NOT HOLD"}: largest difference as a share of the tolerance (values compared)`,
  );
  return result;
}

if (typeof process === "object" && process.argv[1] && import.meta.url.endsWith(process.argv[1].split("/").pop())) {
  const { readFile } = await import("node:fs/promises");
  const { pathToFileURL } = await import("node:url");
  if (process.argv.length !== 3) throw new Error("usage: node run.mjs ADAPTER.mjs");
  const load = async (name) => JSON.parse(await readFile(new URL(`../vectors/${name}`, import.meta.url), "utf8"));
  const { default: adapter } = await import(pathToFileURL(process.argv[2]));
  const { held, unsupported } = await run(adapter, load);
  for (const each of unsupported) console.log(`not supported: ${each}`);
  process.exitCode = held ? 0 : 1;
}
