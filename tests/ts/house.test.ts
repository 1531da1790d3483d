/** The walls of the house: who may include whom, and what no source file may hold. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

const files = (folder: string, name: RegExp): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => name.test(file))
    .map((file) => join(folder, file))
    .sort();

const text = (file: string) => readFileSync(join(root, file), "utf8");

/** From the lowest room to the highest. A room may include itself and the rooms before it. */
const rooms = [
  ...["text", "random", "memory", "json", "safetensors", "kernels", "arch", "frequencies", "rope", "rope_config"],
  ...["analysis", "convert", "nn", "reference", "parameters", "position_encoding", "roformer", "trainer", "task"],
];

test("no room of the C++ sources includes a higher one", () => {
  const wrong: string[] = [];
  for (const file of files("cpp/src", /\.[ch]pp$/)) {
    const parts = relative("cpp/src", file).split("/");
    const room = parts.length === 1 ? parts[0]!.replace(/\..*/, "") : parts[0]!;
    if (!rooms.includes(room)) wrong.push(`${file}: the room ${room} is not in the list above`);
    for (const [, included] of text(file).matchAll(/^#include "([^"/]+)[/.]/gm)) {
      if (included === "ropewalk") continue;
      // Architectures are where the kernels are compiled: nobody but select.cpp names them.
      if (rooms.indexOf(included!) > rooms.indexOf(room)) wrong.push(`${file} includes ${included}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("public headers include public headers alone", () => {
  const wrong = files("cpp/include", /\.hpp$/).filter((file) =>
    [...text(file).matchAll(/^#include "([^"]+)"/gm)].some(([, name]) => !name!.startsWith("ropewalk/")),
  );
  expect(wrong).toEqual([]);
});

test("vector code stays in the kernels", () => {
  const wrong = files("cpp/src", /\.[ch]pp$/).filter(
    (file) => !file.startsWith("cpp/src/kernels/") && /#include <(xsimd|immintrin|wasm_simd128)/.test(text(file)),
  );
  expect(wrong).toEqual([]);
});

test("files compiled for one architecture share no code with the others", () => {
  const allowed =
    /^#include ("kernels\/|<(cmath|complex|concepts|cstddef|cstdint|cstring|limits|type_traits|utility|xsimd\/|immintrin|wasm_simd128|bit|array))/;
  const wrong = files("cpp/src/kernels", /\.inl\.hpp$/).flatMap((file) =>
    text(file)
      .split("\n")
      .filter((line) => line.startsWith("#include") && !allowed.test(line))
      .map((line) => `${file}: ${line}`),
  );
  expect(wrong).toEqual([]);
});

test("the page and the package keep their direction: web, bindings/ts, the module", () => {
  const wrong: string[] = [];
  for (const folder of ["bindings/ts", "web/src"]) {
    for (const file of files(folder, /\.tsx?$/)) {
      for (const [, name] of text(file).matchAll(/from "(\.[^"]+)"/g)) {
        const target = relative(root, resolve(root, dirname(file), name!));
        if (!target.startsWith(folder)) wrong.push(`${file} imports ${name}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test("C++ sources are ASCII", () => {
  const wrong = ["cpp", "bindings/embind", "tests/cpp", "tools/train", "tools/experiments"].flatMap((folder) =>
    files(folder, /\.[ch]pp$/).filter((file) => [...text(file)].some((character) => character.charCodeAt(0) > 127)),
  );
  expect(wrong).toEqual([]);
});
