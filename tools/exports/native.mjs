// bindings/ts/module/native.ts: what the WebAssembly modules export, from the declarations that Emscripten writes beside each
// (--emit-tsd, bindings/embind/CMakeLists.txt).
import { readFileSync } from "node:fs";

const MODULES = [
  { name: "core", type: "NativeCore", says: "ropes and tensors" },
  { name: "analysis", type: "NativeAnalysis", says: "configurations, analysis, conversion" },
  { name: "model", type: "NativeModel", says: "encoders" },
  { name: "decoder", type: "NativeDecoding", says: "decoders" },
  { name: "train", type: "NativeTraining", says: "the trainer, and tasks to train models on" },
];

const HEAD = `// Made by \`npm run generate\` from what the WebAssembly modules export. Do not edit.
/**
 * The exports of the five WebAssembly modules. Coarse things are Embind classes and functions; what runs once per token is a
 * plain export that takes numbers and addresses. bindings/embind/*.cpp says what each does.
 */
import type { ClassHandle, ModuleMemory, ModuleTable } from "./glue.js";

`;

/** The lines of an interface: one for each member. */
function membersOf(declarations, name) {
  const body = declarations.match(new RegExp(`interface ${name} [^{]*\\{\\n([^]*?)^\\}`, "m"))?.[1] ?? "";
  return body.match(/^ {2}\w+\(.*$/gm) ?? [];
}

const interfaceOf = (says, name, above, members) =>
  `${says && `/** ${says}. */\n`}export interface ${name} extends ${above} {\n${members.join("\n")}\n}\n\n`;

export function nativeModule() {
  const modules = MODULES.map((module) => {
    const path = new URL(`../../build/wasm/bindings/embind/${module.name}.d.ts`, import.meta.url);
    const text = readFileSync(path, "utf8");
    const classes = [...text.matchAll(/^export interface (\w+) extends ClassHandle/gm)].map(([, name]) => name);
    const members = ["WasmModule", "EmbindModule"].flatMap((name) => membersOf(text, name));
    return { ...module, text, classes, members };
  });
  const exportsOf = (of) => modules.find(({ name }) => name === of).members;
  const all = exportsOf("core").filter((member) => modules.every(({ members }) => members.includes(member)));
  const ofModels = exportsOf("model").filter((each) => exportsOf("decoder").includes(each) && !all.includes(each));
  const classes = modules.flatMap(({ text, classes }) =>
    classes.map((name) => interfaceOf("", `Native${name}`, "ClassHandle", membersOf(text, name))),
  );
  const own = modules.map(({ name, type, says, members }) => {
    const above = ["model", "decoder"].includes(name) ? "NativeInt8" : "NativeMemory";
    const rest = members.filter((each) => !all.includes(each) && !(above === "NativeInt8" && ofModels.includes(each)));
    return interfaceOf(`${name}.wasm: ${says}`, type, above, rest);
  });
  const text = [
    interfaceOf("The exports that all modules have", "NativeMemory", "ModuleMemory", all),
    interfaceOf(
      "Those that model.wasm and decoder.wasm have besides",
      "NativeInt8",
      "NativeMemory, ModuleTable",
      ofModels,
    ),
    ...classes,
    ...own,
  ].join("");
  const names = modules.flatMap(({ classes }) => classes).join("|");
  return (
    HEAD +
    text
      .replace(new RegExp(`(?<=: )(${names})(?= \\||[,);])`, "g"), "Native$1")
      .trimEnd()
      .concat("\n")
  );
}
