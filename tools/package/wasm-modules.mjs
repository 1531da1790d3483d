// Gives esbuild what the modules "ropewalk:..." stand for; bindings/ts/module/virtual.d.ts says what each is.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import zopfli from "@gfx/zopfli";

/** Removes `text`, which must be there once: another Emscripten may write something else. */
function without(source, pattern, what) {
  if (source.split(pattern).length !== 2) {
    throw new Error(`tools/package: Emscripten's glue has no ${what} where it used to be; look at core.js`);
  }
  return source.replace(pattern, "");
}

/** Emscripten writes a script for every loader; this keeps the function, as a module, which is handed what it runs. */
function asModule(glue) {
  let text = without(glue, /if\s*\(typeof exports\s*===?\s*["']object["'][\s\S]*$/, "export for CommonJS and AMD");
  text = without(text, /var ENVIRONMENT_IS_NODE\s*=[^;]*;/, "question whether it runs in Node");
  text = without(text, /var _scriptName\s*=[^;]*;/, "question where it lies");
  text = without(
    text,
    /var ENVIRONMENT_IS_WEB\s*=[\s\S]*?(?=var out\s*=)/,
    "question where it runs, and fetching of files",
  );
  text = without(text, /var wasmBinaryFile;[\s\S]*?(?=function getWasmImports)/, "fetching of the module");
  text = without(
    text,
    /function receiveInstantiationResult[\s\S]*?(?=var info)/,
    "result of the way without instantiateWasm",
  );
  text = without(text, /wasmBinaryFile\s*\?\?=[\s\S]*?return exports(?=;?\s*\})/, "way without instantiateWasm");
  text = without(text, /var out\s*=[^;]*;/, "printing to the console");
  text = without(text, /class EmscriptenEH\s*\{\}\s*class EmscriptenSjLj[^}]*\}/, "classes of C++ exceptions");
  text = without(text, /class ExitStatus[\s\S]*?this\.status\s*=\s*status;?\s*\}\s*\}/, "class of a program's end");
  return `${withoutOwnNames(text)}\nexport default createCore;\n`;
}

/** The glue has a variable for each export, beside the member of the object, which is all that we use. */
function withoutOwnNames(text) {
  const declared = /var ([\w,]+);(?=function assignWasmExports)/;
  if (!declared.test(text)) throw new Error("tools/package: Emscripten's glue declares no exports where it used to");
  const others = (names) => names.split(",").filter((name) => !name.startsWith("_ropewalk_"));
  return text.replace(declared, (_, names) => `var ${others(names)};`).replace(/\b_ropewalk_\w+=(?=Module\[)/g, "");
}

export function moduleFrom(folder, name) {
  const wasm = join(folder, `${name}.wasm`);
  if (!existsSync(wasm)) throw new Error(`tools/package: no ${name}.wasm in ${folder}; \`npm run build\` makes it`);
  return { wasm: readFileSync(wasm), glue: asModule(readFileSync(join(folder, `${name}.js`), "utf8")) };
}

/**
 * A file as text in JavaScript: base64 grows by a third, and shrinks by the same once the server compresses it. Zopfli
 * takes seconds to find a gzip stream 6 % shorter than zlib's, once for everybody who waits for it.
 */
export async function packed(bytes) {
  const gzipped = await zopfli.gzipAsync(bytes, { numiterations: 15 });
  return `export default ${JSON.stringify(Buffer.from(gzipped).toString("base64"))};\n`;
}

/** The families that a module of models reads, as the entries give them: `families()`. */
export async function familiesOf({ glue, wasm }) {
  const { default: create } = await import(`data:text/javascript;base64,${Buffer.from(glue).toString("base64")}`);
  const native = await create({
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(wasm, imports).then(({ instance }) => done(instance));
      return {};
    },
  });
  native.families();
  const [at, size] = [native._ropewalk_text_address(), native._ropewalk_text_size()];
  const families = JSON.parse(Buffer.from(native.wasmMemory.buffer, at, size).toString("utf8"));
  return families.map(({ model_type, ...others }) => ({ modelType: model_type, ...others }));
}

/** Neighbours that differ in their names alone, in one: their names, and the rest. */
function grouped(families) {
  const groups = [];
  for (const { modelType, ...others } of families) {
    const last = groups.at(-1);
    if (last !== undefined && JSON.stringify(last[1]) === JSON.stringify(others)) last[0].push(modelType);
    else groups.push([[modelType], others]);
  }
  return groups;
}

/** Types that are read by an encoder and by a decoder. */
function causal(families) {
  const decoders = families.filter(({ kind }) => kind === "decoder").map(({ modelType }) => modelType);
  return families.flatMap(({ kind, modelType }) =>
    kind === "encoder" && decoders.includes(modelType) ? [modelType] : [],
  );
}

/** `modules` by their names, as moduleFrom gives them, `families` as familiesOf does, and the version of the package. */
export function wasmModules(modules, families, version) {
  return {
    name: "ropewalk-modules",
    setup(build) {
      build.onResolve({ filter: /^ropewalk:.*-(glue|size)$/ }, ({ path }) => ({ path, namespace: "ropewalk" }));
      build.onResolve({ filter: /^ropewalk:(families|causal|version)$/ }, ({ path }) => ({
        path,
        namespace: "ropewalk",
      }));
      build.onLoad({ filter: /.*/, namespace: "ropewalk" }, ({ path }) => {
        if (path === "ropewalk:causal") return { contents: JSON.stringify(causal(families)), loader: "json" };
        if (path === "ropewalk:version") return { contents: JSON.stringify(version), loader: "json" };
        if (path === "ropewalk:families") return { contents: JSON.stringify(grouped(families)), loader: "json" };
        const [name, what] = path.slice("ropewalk:".length).split("-");
        const { glue, wasm } = modules[name];
        return { contents: what === "glue" ? glue : `export default ${wasm.length};`, loader: "js" };
      });
      // Files beside the entries: the modules and the worker's script, which pages and Node share, and what is loaded
      // later.
      const beside = (path) => ({ path, external: true });
      build.onResolve({ filter: /^ropewalk:(.*-inlined|worker-text)$/ }, ({ path }) =>
        beside(`./${path.slice("ropewalk:".length)}.js`),
      );
      build.onResolve({ filter: /^ropewalk:.*-compiled$/ }, ({ path }) =>
        beside(`./${path.slice("ropewalk:".length, -"-compiled".length)}.wasm`),
      );
      build.onResolve(
        {
          filter:
            /^\.\/(web|analysis|model|decoder|train|parallel|parallel-node|hub|hub-node|tokenizers|templates|grammar|vectors|gguf|heads|offsets|tokenizer-limits|beginnings)\.js$/,
        },
        ({ path, kind }) => (kind === "dynamic-import" ? beside(path) : undefined),
      );
    },
  };
}
