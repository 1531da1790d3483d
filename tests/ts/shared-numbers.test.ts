/** Numbers that C++ and TypeScript both write down, read from the two sources and compared. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8").replace(/\/\/.*/g, "");
const camelCase = (name: string) =>
  name.replace(/_qk\b/, "QK").replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const bodyOf = (text: string, pattern: RegExp): string => {
  const found = text.match(pattern)?.[1];
  if (found === undefined) throw new Error(`nothing matches ${pattern}`);
  return found;
};

/** The names of a C++ enumeration with their values, as JavaScript spells them. */
function enumeration(path: string, name: string): Record<string, number> {
  const body = bodyOf(read(path), new RegExp(`enum (?:class )?${name}\\b[^{;]*\\{([^}]*)\\}`));
  const values: Record<string, number> = {};
  let next = 0;
  for (const [, word, value] of body.matchAll(/(\w+)(?:\s*=\s*(\d+))?/g)) {
    next = value === undefined ? next : Number(value);
    values[camelCase(word!)] = next++;
  }
  return values;
}

/** The members of a constant object of TypeScript. */
function constants(path: string, name: string): Record<string, number> {
  const body = bodyOf(read(path), new RegExp(`const ${name} = \\{([^}]*)\\}`));
  return Object.fromEntries([...body.matchAll(/(\w+): (\d+)/g)].map(([, word, value]) => [word!, Number(value)]));
}

test.each([
  [
    "what a forward pass gives",
    "bindings/ts/model/encoder-forward.ts",
    "Output",
    "bindings/embind/encoder.cpp",
    "Output",
  ],
  ["what to do with a batch", "bindings/ts/train/trainer.ts", "Work", "bindings/embind/trainer.cpp", "Work"],
])("%s", (_, script, constant, header, name) => {
  expect(constants(script, constant)).toEqual(enumeration(header, name));
});

test("codes of a Status", () => {
  const listed = bodyOf(read("bindings/ts/module/errors.ts"), /const CODES: [^=]*= \[([^\]]*)\]/);
  // The first is that of success, which no error has.
  const names = ["ok", ...[...listed.matchAll(/"([\w-]+)"/g)].map(([, name]) => name!.replaceAll("-", "_"))];
  const codes = Object.fromEntries(names.map((name, place) => [camelCase(name), place]));
  expect(codes).toEqual(enumeration("cpp/include/ropewalk/status.hpp", "Code"));
});

test("element types", () => {
  const listed = bodyOf(read("bindings/ts/module/tensor.ts"), /DTYPES: [^=]*= \[([^\]]*)\]/);
  const names = [...listed.matchAll(/"(\w+)"/g)].map(([, name], place) => [name!, place]);
  expect(Object.fromEntries(names)).toEqual(enumeration("cpp/include/ropewalk/dtype.hpp", "DType"));
});

test.each([
  ["layout", "bindings/ts/rope/placement.ts", "cpp/include/ropewalk/placement.hpp", "Layout"],
  ["role", "bindings/ts/rope/rotation.ts", "cpp/include/ropewalk/rope.hpp", "Role"],
])("the numbers of a %s", (option, script, header, name) => {
  const numbered = read(script).matchAll(new RegExp(`${option} === "(\\w+)"\\) return (\\d)`, "g"));
  const values = Object.fromEntries([...numbered].map(([, word, value]) => [word!, Number(value)]));
  expect(values).toEqual(enumeration(header, name));
});

/** The names of the members of a struct of C++, as JavaScript spells them. */
function members(path: string, name: string): string[] {
  const body = bodyOf(read(path), new RegExp(`struct ${name} \\{([\\s\\S]*?)\\n\\};`));
  return body.split(";").flatMap((statement) =>
    statement
      .split(",")
      .map((part) => part.match(/(\w+)\s*(?:=.*)?$/s)?.[1])
      .filter((word) => word !== undefined)
      .map(camelCase),
  );
}

/** The names of the members of an interface of TypeScript. */
function properties(path: string, name: string): string[] {
  const body = bodyOf(read(path).replace(/\/\*[\s\S]*?\*\//g, ""), new RegExp(`interface ${name} \\{([^}]*)\\}`));
  return [...body.matchAll(/^\s*(\w+)\??:/gm)].map(([, word]) => word!);
}

test.each(["Placement", "Strides"])("the members of %s", (name) => {
  // The type of the elements is the array's in C++.
  const script = properties("bindings/ts/rope/placement.ts", name).filter((member) => member !== "dtype");
  expect(script.sort()).toEqual(members("cpp/include/ropewalk/placement.hpp", name).sort());
});

test("the words of the block of a hot call", () => {
  const header = read("bindings/embind/call.hpp");
  const words = [...header.matchAll(/offsetof\(Call, (\w+)\) == 4 \* (\d+)/g)];
  const parts: Record<string, number> = {
    positions: 0,
    end: Number(header.match(/sizeof\(Call\) == 4 \* (\d+)/)?.[1]),
  };
  // Three groups of members have a name of their own in TypeScript.
  const names: Record<string, string> = { batch: "sizes", kvHeads: "keys", dimension: "given" };
  for (const [, member, word] of words) {
    const name = camelCase(member!);
    parts[names[name] ?? name] = Number(word);
  }
  expect(constants("bindings/ts/rope/call.ts", "Part")).toEqual(parts);
});

test("how long a JSON text may be", () => {
  const header = read("cpp/src/formats/json/value.hpp");
  const [, bytes, values] =
    header.match(/document_limits\{std::size_t\{1\} << (\d+), std::size_t\{1\} << (\d+)\}/) ?? [];
  const levels = read("cpp/src/formats/json/parse.cpp").match(/(\w*(?:levels|depth)\w*) = (\d+)/)?.[2];
  const script = read("bindings/ts/module/options.ts");
  const constant = (name: string) => script.match(new RegExp(`const ${name} = (?:2 \\*\\* )?(\\d+);`))?.[1];
  expect([constant("MOST_CHARACTERS"), constant("MOST_VALUES"), constant("MOST_LEVELS")]).toEqual([
    bytes,
    values,
    levels,
  ]);
});
