// The declarations, checked by every TypeScript from the oldest that reads them.
import { installed } from "../folder.mjs";

export const VERSIONS = ["typescript57", "typescript58", "typescript59", "typescript6", "typescript7"];

const USE = `
  import { load, type ByteSource, type LoadOptions, type Rope, type Encoder, type WasmSource } from "ropewalk";
  import { load as external } from "ropewalk/external";
  export async function use(weights: ByteSource, wasm: WasmSource): Promise<Float32Array> {
    const options: LoadOptions = { analysis: true, analysisWasm: wasm };
    const ropewalk = await load(options);
    const rope: Rope = ropewalk.rope({ headDim: 4, frequencies: { type: "default", base: 500000 } });
    const rotated: Float32Array = rope.rotate(new Float32Array(4), { sequence: 1, heads: 1 });
    const model: Encoder = await (await external()).encoder({ "config.json": {}, "model.safetensors": weights });
    // @ts-expect-error a misspelt option
    ropewalk.rope({ headdim: 4 });
    return rotated.length > 0 ? model.embed("a") : rotated;
  }
`;

const WAYS = {
  "node, nodenext": ["--lib", "es2022", "--typeRoots", installed("@types"), "--types", "node", "--module", "nodenext"],
  "DOM, bundler": ["--lib", "es2022,dom", "--module", "esnext", "--moduleResolution", "bundler"],
};

/** { way: undefined, or what the compiler said } for one version. */
export async function checkTypes(version, folder) {
  folder.write("use.ts", USE);
  const said = {};
  for (const [way, options] of Object.entries(WAYS)) {
    const flags = ["--noEmit", "--strict", "--target", "es2022"];
    const args = [installed(`${version}/bin/tsc`), ...flags, ...options, "use.ts"];
    said[way] = await folder.run(process.execPath, ...args).then(
      () => undefined,
      (error) => error.message,
    );
  }
  return said;
}
