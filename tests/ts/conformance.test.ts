/** The vectors of conformance/, run against the package by the runner that other projects use. */
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import plain from "../../conformance/javascript/adapters/plain.mjs";
import { adapter } from "../../conformance/javascript/adapters/ropewalk.mjs";
import { type Adapter, type Case, run } from "../../conformance/javascript/run.mjs";
import { fromRoot, readJson } from "./files.js";

const file = (path: string) => fromRoot("conformance", path);
const load = async (name: string) => readJson<never>(`conformance/vectors/${name}`);
// Set-up brings one where the machine has none.
const python3 = process.env.EMSDK_PYTHON ?? "python3";
const quietly = () => {};
/** The rules that were not run. */
const rules = (unsupported: string[]) => [
  ...new Set(unsupported.map((each) => each.replace(/^\w+ /, "").split(":")[0])),
];

it("the package holds every vector, and reads every configuration of them", async () => {
  const { worst, values, unsupported } = await run(await adapter(), load, quietly);
  expect(worst).toBeLessThanOrEqual(1);
  expect(values).toBeGreaterThan(153_000);
  expect(unsupported).toEqual([]);
});

it("with float32 angles the package holds PyTorch's column", async () => {
  const { worst, values } = await run(await adapter("float32"), load, quietly);
  expect(worst).toBeLessThanOrEqual(1);
  expect(values).toBeGreaterThan(40_000);
});

it("the runner notices what is wrong", async () => {
  const exact = await adapter();
  const spoiled = (spoil: (one: Case, pairing: "half" | "interleaved") => [Case, "half" | "interleaved"]): Adapter => ({
    precision: exact.precision,
    make: (one, pairing) => exact.make(...spoil(one, pairing)),
  });
  const another = { half: "interleaved", interleaved: "half" } as const;
  const pairing = await run(
    spoiled((one, name) => [one, another[name]]),
    load,
    quietly,
  );
  expect(pairing.held).toBe(false);
  const base = (one: Case) =>
    "base" in one.frequencies ? { ...one, frequencies: { ...one.frequencies, base: 10001 } } : one;
  expect(
    (
      await run(
        spoiled((one, name) => [base(one), name]),
        load,
        quietly,
      )
    ).held,
  ).toBe(false);
  const order = (one: Case) =>
    one.axes && "order" in one.axes ? { ...one, axes: { ...one.axes, order: "chunked", sections: [1] } } : one;
  const axes: Adapter = { precision: exact.precision, axes: true, make: (one, name) => exact.make(order(one), name) };
  await expect(run(axes, load, quietly)).rejects.toThrow("axes.sections");
  const within = (one: Case) =>
    one.axes && "pair_within" in one.axes ? { ...one, axes: { ...one.axes, pair_within: "head" } } : one;
  const whole = { ...axes, make: (one: Case, name: "half" | "interleaved") => exact.make(within(one), name) };
  expect((await run(whole, load, quietly)).held).toBe(false);
  const nan: Adapter = { precision: "float64", make: () => ({ magnitude: () => Number.NaN }) };
  expect((await run(nan, load, quietly)).worst).toBe(Number.POSITIVE_INFINITY);
  const short: Adapter = { precision: "float64", make: () => ({ theta: () => [] }) };
  expect((await run(short, load, quietly)).worst).toBe(Number.POSITIVE_INFINITY);
});

it("the example adapters hold what they support, in JavaScript and in Python", async () => {
  const { held, unsupported } = await run(plain, load, quietly);
  expect(held).toBe(true);
  expect(rules(unsupported)).not.toContain("linear");
  const python = execFileSync(python3, [file("python/run.py"), file("python/adapters/plain.py")], {
    encoding: "utf8",
  });
  expect(python).toMatch(/^linear: theta .*rotate/m);
  expect(python).toMatch(/^axes: .*rotate .*9 not supported/m);
  expect(python).toMatch(/^All hold/m);
});

it("the vectors are what their generator writes, and the generator agrees with the reference values", () => {
  const python = (name: string, ...args: string[]) =>
    execFileSync(python3, [file(`python/${name}`), ...args], { encoding: "utf8" });
  expect(python("generate.py", "--check")).toContain("the vectors are what generate.py writes");
  const checked = python("check_golden.py");
  expect(checked).toMatch(/golden\/rope\/frequencies\.json, theta: 656 values/);
  expect(checked).toMatch(/golden\/vision\/vision\.json, channels and axis of each pair: 8 values/);
});
