import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** The second run, over native code (`npm run test:native`). */
const isNative = process.env.ROPEWALK_BACKEND === "native";

// The package as it is published: dist/, which `npm run build` makes, or where it is installed beside ropewalk-native.
const alias: Record<string, string> = isNative
  ? { ropewalk: path("build/native-program/node_modules/ropewalk/dist/node.js") }
  : { "ropewalk/external": path("dist/external-node.js"), ropewalk: path("dist/node.js") };

// Not over native code: the tests of WebAssembly's own memory, modules and workers, of the terminal, which is a process of its
// own, of documents, and of what takes long.
const notNative = [
  "decoder-memory,flat-memory,growth,int8-variant,lifetimes,limits,load,memory-contract,parallel,threads",
  "check-hooks,check-recovery,cli*,fine-tune,hub-files,rope-check-py,site-index,standalone",
  "bench,checker-document,claims,directions,flaky-tests,guide-figures,history,published,readme,release,trust,words",
];

const library = {
  resolve: { alias },
  test: {
    name: isNative ? "native" : "ts",
    include: ["tests/ts/**/*.test.ts"],
    exclude: isNative ? notNative.map((names) => `tests/ts/{${names}}.test.ts`) : [],
    // Forgotten objects are collected on demand.
    execArgv: ["--expose-gc"],
    testTimeout: 60_000,
  },
};
const programs = {
  test: {
    name: "package",
    include: ["tests/package/**/*.test.ts"],
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
};

export default defineConfig({
  test: {
    // Vitest would leave one processor to itself: half of a small machine.
    maxWorkers: availableParallelism(),
    projects: isNative ? [library] : [library, programs],
  },
});
