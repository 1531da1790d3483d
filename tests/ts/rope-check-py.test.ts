/** conformance/python/rope_check.py, which shares no code with the library, by Python's own unittest. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const test = fileURLToPath(new URL("../../conformance/python/test_rope_check.py", import.meta.url));

it("rope_check.py agrees with every case of tests/golden/readers", { timeout: 600_000 }, () => {
  const { status, stderr } = spawnSync("python3", ["-B", test], { encoding: "utf8" });
  expect([status, stderr.includes("OK")], stderr).toEqual([0, true]);
});
