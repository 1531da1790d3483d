// `node main.mjs PROGRAM COMPILER [--record]`: counts the instructions of each kernel with callgrind and compares them with
// counts.json, or records them there. Counts do not depend on the load of the machine, but on the compiler.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inTemporaryFolder, run, which } from "../../tools/setup/commands.mjs";

const FILE = join(import.meta.dirname, "counts.json");
/** A count may differ by this share. */
const TOLERANCE = 0.02;
/** CTest takes this exit code for a skipped test. */
const SKIPPED = 77;
/** Valgrind does not know AVX-512. */
const ARCHITECTURES = process.arch === "arm64" ? ["neon"] : ["sse2", "avx2"];

/** { architecture in use, counts by kernel } */
async function countWith(program, architecture, folder) {
  const options = ["--tool=callgrind", "--collect-atstart=no", "--toggle-collect=measured", "--dump-after=measured"];
  const out = join(folder, architecture);
  const env = { ...process.env, ROPEWALK_ARCH: architecture };
  const { code, output, stdout } = await run("valgrind", [...options, `--callgrind-out-file=${out}`, program], { env });
  if (code !== 0) throw new Error(`valgrind ended with exit code ${code}:\n${output}`);
  const [used, ...names] = stdout.trim().split("\n");
  const counts = names.map((name, index) => {
    const dump = readFileSync(`${out}.${index + 1}`, "utf8");
    return [name, Number(/^(?:summary|totals): (\d+)$/m.exec(dump)?.[1])];
  });
  return { used, counts: Object.fromEntries(counts) };
}

function countAll(program) {
  return inTemporaryFolder("callgrind", async (folder) => {
    const all = {};
    for (const architecture of ARCHITECTURES) {
      const { used, counts } = await countWith(program, architecture, folder);
      // A name that this processor does not have is not an error, and another one runs.
      if (used === architecture) all[architecture] = counts;
    }
    return all;
  });
}

/** One sentence for each kernel whose count is another one. */
function differences(recorded, counted) {
  const problems = [];
  for (const [architecture, kernels] of Object.entries(counted)) {
    const known = recorded[architecture] ?? {};
    for (const name of new Set([...Object.keys(known), ...Object.keys(kernels)])) {
      const [before, now] = [known[name], kernels[name]];
      if (before && now && Math.abs(now - before) <= TOLERANCE * before) continue;
      problems.push(`${architecture}, ${name}: ${now ?? "no"} instructions, recorded ${before ?? "none"}`);
    }
  }
  return problems;
}

async function main([program, compiler, option]) {
  if (!which("valgrind")) {
    console.log("No valgrind here: the instructions of the kernels were not counted.");
    return SKIPPED;
  }
  if (option === "--record") {
    writeFileSync(FILE, `${JSON.stringify({ compiler, counts: await countAll(program) }, null, 2)}\n`);
    return 0;
  }
  const recorded = JSON.parse(readFileSync(FILE, "utf8"));
  if (compiler !== recorded.compiler) {
    console.log(`The counts are those of ${recorded.compiler}, and this is ${compiler}: nothing to compare.`);
    return SKIPPED;
  }
  const counted = await countAll(program);
  const problems = differences(recorded.counts, counted);
  const kernels = Object.values(counted).reduce((sum, each) => sum + Object.keys(each).length, 0);
  if (problems.length === 0) {
    console.log(`${kernels} counts are within ${TOLERANCE * 100} % of those recorded.`);
    return 0;
  }
  console.log(problems.join("\n"));
  console.log(`If the change is wanted: node tests/callgrind/main.mjs ${program} "${compiler}" --record`);
  return 1;
}

process.exitCode = await main(process.argv.slice(2));
