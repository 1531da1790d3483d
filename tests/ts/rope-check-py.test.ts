/** rope_check.py of the Python package, which shares no code with the library, by Python's own unittest. */
import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { factRows } from "../../tools/options/typescript.mjs";
import { fromRoot } from "./files.js";

const test = fromRoot("conformance/python/test_rope_check.py");

it("rope_check.py agrees with every case of tests/golden/readers and readers-2", { timeout: 600_000 }, () => {
  const { status, stderr } = spawnSync("python3", ["-B", test], { encoding: "utf8" });
  expect([status, stderr.includes("OK")], stderr).toEqual([0, true]);
});

interface Tables {
  interleaved: string[];
  fraction: Record<string, number>;
  base: Record<string, number>;
  head: Record<string, number>;
  layers: Record<string, Record<string, [key: string, base: number, scaled: boolean]>>;
  known: string[];
  since: string[];
  shareRead: string[];
  nullHead: string[];
  text: Record<string, string>;
  original: Record<string, number>;
}

interface Row {
  type?: string;
  pairing?: string;
  base?: number;
  share?: number;
  head?: number;
  layers?: Record<string, { base?: number; baseKey?: string; head?: number }>;
  scaling?: string[];
  axes?: boolean;
  code?: boolean;
  since?: number;
  shareRead?: boolean;
  nullHead?: string;
  text?: string;
  rope?: object;
  original?: number;
}

/** Where layers differ, `head_dim` is that of those with a window. */
const headOf = ({ head, layers }: Row) => layers?.sliding_attention?.head ?? head;

it("what rope_check.py assumes of families is what the sheet of facts says, which it does not read", () => {
  const script = `
import json, sys
sys.path.insert(0, sys.argv[1])
import rope_check as r
print(json.dumps({"interleaved": sorted(r.INTERLEAVED), "fraction": r.FRACTION, "base": r.BASE, "head": r.HEAD, "layers": r.LAYERS,
    "known": sorted(r.KNOWN), "since": sorted(r.SINCE_5), "shareRead": sorted(r.SHARE_READ), "nullHead": sorted(r.NULL_HEAD),
    "text": r.TEXT_OF, "original": r.ORIGINAL}))`;
  const folder = fromRoot("bindings/python/ropewalk");
  const { stdout, stderr } = spawnSync("python3", ["-B", "-c", script, folder], { encoding: "utf8" });
  expect(stderr).toBe("");
  const { interleaved, fraction, base, head, layers, known, text, original, ...lists } = JSON.parse(stdout) as Tables;
  const rows = new Map(
    factRows()
      .map((line) => JSON.parse(line) as Row)
      .map((row) => [row.type ?? "", row]),
  );
  const row = (type: string) => rows.get(type) ?? {};
  for (const type of interleaved) expect([type, row(type).pairing]).toEqual([type, "interleaved"]);
  for (const type in fraction) expect([type, row(type).share]).toEqual([type, fraction[type]]);
  for (const type in base) expect([type, row(type).base]).toEqual([type, base[type]]);
  for (const type in head) expect([type, headOf(row(type))]).toEqual([type, head[type]]);
  for (const type in layers) {
    const { layers: own = {}, scaling = [] } = row(type);
    const said = Object.entries(own).map(([each, of]) => [each, [of.baseKey, of.base, scaling.includes(each)]]);
    expect([type, Object.fromEntries(said)]).toEqual([type, layers[type]]);
  }
  // The tables say all of a type that is read, unless its base is one of each type of layers, or stands with a rule of its own.
  for (const type of known) {
    const own = row(type);
    expect([type, own.axes]).toEqual([type, undefined]);
    if (own.code || own.type === undefined) continue;
    expect([type, interleaved.includes(type)]).toEqual([type, own.pairing === "interleaved"]);
    expect([type, fraction[type]]).toEqual([type, own.share]);
    expect([type, lists.since.includes(type)]).toEqual([type, own.since === 5]);
    expect([type, lists.shareRead.includes(type)]).toEqual([type, own.shareRead === true]);
    expect([type, lists.nullHead.includes(type)]).toEqual([type, own.nullHead === "none"]);
    expect([type, head[type]]).toEqual([type, headOf(own)]);
    expect([type, original[type]]).toEqual([type, own.original]);
    if (!own.layers && !own.rope && type !== "nomic_bert") expect([type, base[type]]).toEqual([type, own.base]);
  }
  for (const type in text) expect([type, text[type]]).toEqual([type, row(type).text]);
  expect(interleaved.length + Object.keys(base).length).toBeGreaterThan(10);
});
