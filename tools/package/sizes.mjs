// Sizes of what users load, beside the budget that tests/package/sizes.test.ts holds them to.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** A file of dist/ and all that it imports at once, which a budget need not name. */
export function withImports(dist, file, found = []) {
  if (found.includes(file)) return found;
  found.push(file);
  if (!file.endsWith(".js")) return found;
  for (const [, name] of readFileSync(join(dist, file), "utf8").matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) {
    withImports(dist, name, found);
  }
  return found;
}

/** Sizes of the files that are loaded together, and their limits: [{ name, files, raw, gzipped, limit }]. */
export function measure(root) {
  const { loads } = JSON.parse(readFileSync(join(root, "tools/package/budget.json"), "utf8"));
  return loads.map((load) => {
    const dist = join(root, "dist");
    const paths = [...new Set(load.files.flatMap((file) => withImports(dist, file)))].map((file) => join(dist, file));
    const sum = (sizeOf) => paths.reduce((total, path) => total + sizeOf(path), 0);
    return {
      ...load,
      raw: sum((path) => statSync(path).size),
      gzipped: sum((path) => gzipSync(readFileSync(path), { level: 9 }).length),
    };
  });
}

/** Every file of the package that holds code: [{ file, raw, gzipped }]. */
export function measureFiles(root) {
  const dist = join(root, "dist");
  const names = readdirSync(dist).filter((name) => /\.(js|wasm)$/.test(name));
  return names.sort().map((file) => {
    const bytes = readFileSync(join(dist, file));
    return { file, raw: bytes.length, gzipped: gzipSync(bytes, { level: 9 }).length };
  });
}

export function printSizes(root) {
  for (const { name, files, raw, gzipped, limit } of measure(root)) {
    console.log(`${name}: ${raw} bytes, ${gzipped} gzipped (budget ${limit}): ${files.join(" + ")}`);
  }
}
