// Gives esbuild what "ropewalk:glue" and "ropewalk:inlined-core" stand for.
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

export function moduleFrom(folder) {
  const wasm = join(folder, "core.wasm");
  if (!existsSync(wasm)) throw new Error(`tools/package: no core.wasm in ${folder}; \`npm run build\` makes it`);
  return { wasm: readFileSync(wasm), glue: asModule(readFileSync(join(folder, "core.js"), "utf8")) };
}

export function core({ wasm, glue }) {
  const contents = {
    "ropewalk:glue": glue,
    // A string in base64 grows by a third, and shrinks by the same once the server compresses it.
    "ropewalk:inlined-core": `export default ${JSON.stringify(gzipSync(wasm, { level: 9 }).toString("base64"))};`,
  };
  return {
    name: "ropewalk-core",
    setup(build) {
      build.onResolve({ filter: /^ropewalk:/ }, ({ path }) => ({ path, namespace: "ropewalk-core" }));
      build.onLoad({ filter: /.*/, namespace: "ropewalk-core" }, ({ path }) => ({ contents: contents[path], loader: "js" }));
    },
  };
}
