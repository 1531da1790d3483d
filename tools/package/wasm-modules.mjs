// Gives esbuild what the modules "ropewalk:..." stand for; bindings/ts/module/virtual.d.ts says what each is.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import zopfli from "@gfx/zopfli";
import { rollup } from "rollup";

/**
 * Emscripten's glue, which is handed what it runs: rollup leaves out all that is for programs that fetch their module, once it
 * knows that they have `instantiateWasm`.
 */
async function withoutFetching(glue) {
  const asked = /if\s*\(instantiateWasm\)/;
  if (glue.split(asked).length !== 2) {
    throw new Error(
      "tools/package: Emscripten's glue does not ask for instantiateWasm where it used to; look at core.js",
    );
  }
  const code = glue.replace(asked, "if(true)");
  const bundle = await rollup({
    input: "glue",
    plugins: [{ name: "glue", resolveId: (id) => id, load: () => code }],
    treeshake: {
      tryCatchDeoptimization: false,
      propertyReadSideEffects: false,
      manualPureFunctions: ["URL", "console.log.bind", "console.error.bind"],
    },
  });
  const { output } = await bundle.generate({ format: "es" });
  await bundle.close();
  return output[0].code;
}

export async function moduleFrom(folder, name) {
  const wasm = join(folder, `${name}.wasm`);
  if (!existsSync(wasm)) throw new Error(`tools/package: no ${name}.wasm in ${folder}; \`npm run build\` makes it`);
  return { wasm: readFileSync(wasm), glue: await withoutFetching(readFileSync(join(folder, `${name}.js`), "utf8")) };
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
            /^\.\/(web|analysis|model|decoder|train|parallel|parallel-node|hub|hub-node|tokenizers|templates|grammar|gguf|heads|offsets|tokenizer-limits|beginnings)\.js$/,
        },
        ({ path, kind }) => (kind === "dynamic-import" ? beside(path) : undefined),
      );
    },
  };
}
