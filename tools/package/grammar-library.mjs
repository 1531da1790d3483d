// XGrammar's WebAssembly module and the glue around it, out of the npm package @mlc-ai/web-xgrammar: that file is for script
// tags, finds its own module as base64, and asks for `require` in Node, so that an import of it fails there.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const embedded = /data:application\/octet-stream;base64,([A-Za-z0-9+/=]+)/;

/** The match of `pattern`, which must be there. */
function found(text, pattern, what) {
  const match = pattern.exec(text);
  if (match === null) throw new Error(`tools/package: @mlc-ai/web-xgrammar has no ${what} where it used to be`);
  return match;
}

/** `{ wasm, glue }`, as moduleFrom gives them. */
export function grammarLibrary(root) {
  const text = readFileSync(join(root, "node_modules/@mlc-ai/web-xgrammar/lib/index.js"), "utf8");
  const wasm = Buffer.from(found(text, embedded, "module")[1], "base64");
  const [create] = found(
    text.replace(embedded, ""),
    /async function\s*\(moduleArg = \{\}\) \{[\s\S]*?return moduleArg\.ready\s*\}/,
    "function that starts it",
  );
  // The module is handed to it: it asks neither where it runs nor where it lies.
  found(create, /var ENVIRONMENT_IS_NODE=[^;]*;/, "question whether it runs in Node");
  const glue = create
    .replaceAll(/var ENVIRONMENT_IS_\w+=[^;]*;/g, "")
    .replaceAll(/\bENVIRONMENT_IS_\w+\b/g, "false")
    .replaceAll("_scriptDir", '""');
  return { wasm, glue: `export default ${glue};\n` };
}
