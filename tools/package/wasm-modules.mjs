// Gives esbuild what "ropewalk:core-glue", "ropewalk:core-inlined" and the same of the model stand for.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** Removes `text`, which must be there once: another Emscripten may write something else. */
function without(source, pattern, what) {
  if (source.split(pattern).length !== 2) {
    throw new Error(`tools/package: Emscripten's glue has no ${what} where it used to be; look at core.js`);
  }
  return source.replace(pattern, "");
}

/** Emscripten writes a script for every loader; this keeps the function, as a module. */
function asModule(glue) {
  let text = without(glue, /if\s*\(typeof exports\s*===?\s*["']object["'][\s\S]*$/, "export for CommonJS and AMD");
  text = without(text, /var ENVIRONMENT_IS_NODE\s*=[^;]*;/, "question whether it runs in Node");
  return `${text}\nexport default createCore;\n`;
}

export function moduleFrom(folder, name) {
  const wasm = join(folder, `${name}.wasm`);
  if (!existsSync(wasm)) throw new Error(`tools/package: no ${name}.wasm in ${folder}; \`npm run build\` makes it`);
  return { wasm: readFileSync(wasm), glue: asModule(readFileSync(join(folder, `${name}.js`), "utf8")) };
}

/** `modules` by their names, as moduleFrom gives them. */
export function wasmModules(modules) {
  const contents = {};
  for (const [name, { wasm, glue }] of Object.entries(modules)) {
    contents[`ropewalk:${name}-glue`] = glue;
    // A string in base64 grows by a third, and shrinks by the same once the server compresses it.
    const text = gzipSync(wasm, { level: 9 }).toString("base64");
    contents[`ropewalk:${name}-inlined`] = `export default ${JSON.stringify(text)};`;
  }
  return {
    name: "ropewalk-modules",
    setup(build) {
      build.onResolve({ filter: /^ropewalk:/ }, ({ path }) => ({ path, namespace: "ropewalk" }));
      build.onLoad({ filter: /.*/, namespace: "ropewalk" }, ({ path }) => ({ contents: contents[path], loader: "js" }));
      // Each entry is one file; what it loads later is another, beside it.
      build.onResolve({ filter: /^\.\/model-/ }, ({ path, kind }) =>
        kind === "dynamic-import" ? { path, external: true } : undefined,
      );
    },
  };
}
