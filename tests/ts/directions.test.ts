/** The folders that each folder may use, and text that no source file may contain. */
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { pageNames } from "../../web/pages/index.js";
import { filesIn, fromRoot, readText } from "./files.js";

/** The folders of cpp/src from the lowest to the highest. A folder may include itself and the folders before it. */
const cppFolders = [
  ...[
    "base",
    "formats",
    "options",
    "kernels",
    "arch",
    "index",
    "rope",
    "rope_config",
    "nn",
    "reference",
    "model",
    "decoder",
    "train",
    "tasks",
  ],
];

test("no folder of the C++ sources includes a higher one", () => {
  const wrong: string[] = [];
  for (const file of filesIn("cpp/src", /\.[ch]pp$/)) {
    const parts = relative("cpp/src", file).split("/");
    const folder = parts.length === 1 ? parts[0]!.replace(/\..*/, "") : parts[0]!;
    if (!cppFolders.includes(folder)) wrong.push(`${file}: the folder ${folder} is not in the list above`);
    for (const [, included] of readText(file).matchAll(/^#include "([^"/]+)[/.]/gm)) {
      if (included === "ropewalk") continue;
      // Architectures are where the kernels are compiled: nobody but select.cpp names them.
      if (cppFolders.indexOf(included!) > cppFolders.indexOf(folder)) wrong.push(`${file} includes ${included}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("public headers include public headers alone", () => {
  const wrong = filesIn("cpp/include", /\.hpp$/).filter((file) =>
    [...readText(file).matchAll(/^#include "([^"]+)"/gm)].some(([, name]) => !name!.startsWith("ropewalk/")),
  );
  expect(wrong).toEqual([]);
});

test("vectors stay in the kernels, and intrinsics in the files of the architectures", () => {
  const include = {
    "cpp/src/kernels/": /#include <xsimd/,
    "cpp/src/arch/": /#include <(immintrin|arm_neon|wasm_simd128)/,
  };
  const wrong = Object.entries(include).flatMap(([folder, pattern]) =>
    filesIn("cpp/src", /\.[ch]pp$/).filter((file) => !file.startsWith(folder) && pattern.test(readText(file))),
  );
  expect(wrong).toEqual([]);
});

test("what a model computes by is chosen when it is opened, and nowhere below asks for it", () => {
  const below = ["nn", "model", "decoder", "train"].flatMap((folder) => filesIn(`cpp/src/${folder}`, /\.[ch]pp$/));
  const asks = below.filter((file) => /\barch::(active|same_bits|int8)\b/.test(readText(file)));
  expect(asks).toEqual(["cpp/src/nn/compute.cpp", "cpp/src/nn/compute.hpp"]);
  expect(below.filter((file) => /\bthread_local\b/.test(readText(file)))).toEqual([]);
});

test("an architecture is one file and one line", () => {
  const lines = [...readText("cpp/src/arch/arches.cmake").matchAll(/^ +ropewalk_arch\((\w+)/gm)].map(
    ([, name]) => name!,
  );
  const names = filesIn("cpp/src/arch", /\.cpp$/).map((file) => basename(file, ".cpp"));
  // relaxed.wasm holds the products of 8-bit integers alone, so it is no architecture.
  const notChosenHere = ["select", "wasm_relaxed"];
  expect(names.filter((name) => !notChosenHere.includes(name)).sort()).toEqual(lines.sort());
  const naming = new RegExp(`\\b(${lines.filter((name) => name !== "wasm").join("|")})\\b`);
  const code = (file: string) => readText(file).replace(/\/\/.*/g, "");
  const others = filesIn("cpp/src", /\.[ch]pp$/).filter((file) => !lines.includes(basename(file, ".cpp")));
  expect(others.filter((file) => naming.test(code(file)))).toEqual([]);
});

test("files compiled for one architecture share no code with the others", () => {
  const allowed =
    /^#include ("kernels\/|<(cmath|complex|concepts|cstddef|cstdint|cstring|limits|type_traits|utility|xsimd\/|bit|array))/;
  const wrong = filesIn("cpp/src/kernels", /\.inl\.hpp$/).flatMap((file) =>
    readText(file)
      .split("\n")
      .filter((line) => line.startsWith("#include") && !allowed.test(line))
      .map((line) => `${file}: ${line}`),
  );
  expect(wrong).toEqual([]);
});

/** The files that a TypeScript file imports by a relative path. */
function importsOf(file: string): string[] {
  const names = [...readText(file).matchAll(/(?:from |import\()"(\.[^"]+)"/g)].map(([, name]) => name!);
  return names.map((name) => {
    const path = join(dirname(file), name).replace(/\.js$/, "");
    return [`${path}.ts`, `${path}.tsx`].find((each) => existsSync(fromRoot(each))) ?? path;
  });
}

/** The playground uses the package as anybody does, except that its own workers share the protocol of the package's. */
const shared = { importing: "web/worker/rpc.ts", imported: "bindings/ts/parallel/calls.ts" };

test.each(["bindings/ts", "web"])("%s imports nothing of the repository that lies outside of it", (folder) => {
  const wrong = filesIn(folder, /\.tsx?$/).flatMap((file) =>
    importsOf(file)
      .filter((target) => !target.startsWith(`${folder}/`))
      .filter((target) => file !== shared.importing || target !== shared.imported)
      .map((target) => `${file} imports ${target}`),
  );
  expect(wrong).toEqual([]);
});

/** The folders of bindings/ts from the lowest to the highest; "." is bindings/ts itself, the public surface. */
const packageFolders = [
  ...["module", "vectors", "rope", "config", "analysis", "model", "train", "parallel", ".", "search", "entries", "cli"],
];

/** The folders of web; "." is web itself, where main.tsx starts the site. */
const webFolders = [
  ...["text", "state", "worker", "offline", "library", "export", "components", "rope", "code", "model", "training"],
  ...["pages", "plugins", "."],
];

test.each([
  ["bindings/ts", packageFolders],
  ["web", webFolders],
])("no folder of %s imports a higher one", (top, folders) => {
  const level = (file: string) => folders.indexOf(relative(top, dirname(file)).split("/")[0] || ".");
  const wrong = filesIn(top, /\.tsx?$/).flatMap((file) => {
    if (level(file) < 0) return [`${file}: its folder is not in the list above`];
    return importsOf(file)
      .filter((target) => level(target) > level(file))
      .map((target) => `${file} imports ${target}`);
  });
  expect(wrong).toEqual([]);
});

test("no page of the playground imports another", () => {
  const pageOf = (file: string) => relative("web/pages", dirname(file)).split("/")[0]!;
  const wrong = filesIn("web/pages", /\.tsx?$/).flatMap((file) =>
    importsOf(file)
      .filter((target) => target.startsWith("web/pages/") && pageOf(target) !== pageOf(file))
      .map((target) => `${file} imports ${target}`),
  );
  expect(wrong).toEqual([]);
});

test("every folder of web/pages is a page that the list of pages names, and the other way round", () => {
  const folders = readdirSync(fromRoot("web/pages"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual([...pageNames].sort());
  for (const { name } of folders) {
    expect(readdirSync(fromRoot("web/pages", name))).toEqual(
      expect.arrayContaining(["panel.tsx", "prose.html", "state.ts", "tested.json"]),
    );
  }
});

/** The first circle of imports among the files, types included. */
function circleAmong(folder: string): string[] {
  const finished = new Set<string>();
  const visit = (file: string, path: string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (finished.has(file)) return [];
    const imported = file.startsWith(folder) && existsSync(fromRoot(file)) ? importsOf(file) : [];
    for (const target of imported) {
      const circle = visit(target, [...path, file]);
      if (circle.length > 0) return circle;
    }
    finished.add(file);
    return [];
  };
  for (const file of filesIn(folder, /\.tsx?$/)) {
    const circle = visit(file, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

test.each(["bindings/ts", "web"])("%s has no circle of imports", (folder) => {
  expect(circleAmong(folder)).toEqual([]);
});

test("C++ sources are ASCII", () => {
  const wrong = ["cpp", "bindings/embind", "bindings/c", "tests/cpp", "tools/train", "tools/experiments"].flatMap(
    (folder) =>
      filesIn(folder, /\.[ch]pp$/).filter((file) =>
        [...readText(file)].some((character) => character.charCodeAt(0) > 127),
      ),
  );
  expect(wrong).toEqual([]);
});
