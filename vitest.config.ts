import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

// The tests use the package as it is published: dist/, which `npm run build` makes.
const alias = { "ropewalk/external": path("dist/external-node.js"), ropewalk: path("dist/node.js") };

// Where both packages are installed, for the tests that run over native code as well.
const program = path("build/native-program/node_modules/ropewalk/dist/node.js");
const overNative = {
  resolve: { alias: { ropewalk: program } },
  test: {
    name: "native",
    include: [
      "tests/ts/{encoder,decoder,heads}-golden.test.ts",
      "tests/ts/{int8-bits,rotation,gradients,causal-encoders,native}.test.ts",
    ],
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
