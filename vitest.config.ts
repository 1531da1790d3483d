import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

// The tests use the package as it is published: dist/, which `npm run build` makes.
const alias = { "ropewalk/external": path("dist/external-node.js"), ropewalk: path("dist/node.js") };

// Where both packages are installed, for the tests that run over native code as well: all but those of WebAssembly's own
// memory, modules and workers, of the terminal, which is a process of its own, of documents, and of what takes long.
const program = path("build/native-program/node_modules/ropewalk/dist/node.js");
const notNative = [
  "decoder-memory,flat-memory,growth,int8-variant,lifetimes,limits,load,memory-contract,parallel,threads",
  "check-hooks,check-recovery,cli*,fine-tune,hub-files,rope-check-py,site-index,standalone",
  "bench,checker-document,claims,directions,flaky-tests,guide-figures,history,published,readme,release,trust,words",
];
const overNative = {
  resolve: { alias: { ropewalk: program } },
  test: {
    name: "native",
    include: ["tests/ts/**/*.test.ts"],
    exclude: notNative.map((names) => `tests/ts/{${names}}.test.ts`),
    pool: "forks" as const,
    execArgv: ["--expose-gc"],
    testTimeout: 60_000,
  },
};

export default defineConfig({
  test: {
    // Vitest would leave one processor to itself: half of a small machine.
    maxWorkers: availableParallelism(),
    projects:
      process.env.ROPEWALK_BACKEND === "native"
        ? [overNative]
        : [
            {
              resolve: { alias },
              test: {
                name: "ts",
                include: ["tests/ts/**/*.test.ts"],
                // Forgotten objects are collected on demand.
                pool: "forks",
                execArgv: ["--expose-gc"],
                testTimeout: 60_000,
              },
            },
            {
              test: {
                name: "package",
                include: ["tests/package/**/*.test.ts"],
                pool: "forks",
                testTimeout: 240_000,
                hookTimeout: 240_000,
              },
            },
          ],
  },
});
