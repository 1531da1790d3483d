// `npm run bench:compare -- BASE [--rounds n]`: this commit against another. Both are built in worktrees below build/, and
// sampled pair by pair in the order A B B A, so that what drifts cancels out. "faster" and "slower" are said when the
// interval leaves 1 out.
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { digits, table, time } from "../../tools/markdown.mjs";
import { cmakeEnvironment, jobs } from "../../tools/run/builds.mjs";
import { stage } from "../../tools/run/stages.mjs";
import { run } from "../../tools/setup/commands.mjs";
import { readToolchain, toolchainEnvironment } from "../../tools/setup/environment.mjs";
import { setUp } from "../../tools/setup/index.mjs";
import { SetUpError, say } from "../../tools/setup/progress.mjs";
import { buildModules } from "./builds.mjs";
import { pairedRatio } from "./harness/statistics.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

export async function compare(args) {
  const { base, rounds } = parse(args);
  const sides = { base: await commitOf(base), head: await commitOf("HEAD") };
  if (sides.base === sides.head) throw new SetUpError(`${base} is the commit that is checked out: name another one.`);
  await setUp({ native: true, wasm: true });
  const built = {};
  for (const [side, commit] of Object.entries(sides)) built[side] = await buildSide(side, commit);
  const status = await git("status", "--porcelain", "--untracked-files=no");
  if (status !== "") say("\nWhat is not committed is not measured: both sides are commits.");
  say(`\n== ${sides.base.slice(0, 12)} (base) against ${sides.head.slice(0, 12)} (head), ${rounds} rounds of A B B A`);
  // Here, since they use packages that set-up installs.
  const { comparePairs } = await import("./pairs.mjs");
  const rows = [];
  await comparePairs(built, rounds, ({ title, base: a, head: b, error }) => {
    if (error !== undefined) {
      rows.push([title, "", "", "", "", error]);
      say(`   ${title}: ${error}`);
      return;
    }
    const { ratio, low, high } = pairedRatio(a, b);
    const verdict = low > 1 ? "faster" : high < 1 ? "slower" : "no difference";
    const said = [
      time(Math.min(...a)),
      time(Math.min(...b)),
      digits(ratio, 4),
      `${digits(low, 4)} .. ${digits(high, 4)}`,
    ];
    rows.push([title, ...said, verdict]);
    say(`   ${title}: ${digits(ratio, 4)} [${digits(low, 4)} .. ${digits(high, 4)}], ${verdict}`);
  });
  const head = ["case", "base, best", "head, best", "base / head", "95 % interval", "head is"];
  say(`\n${table(head, rows, "lrrrrl")}`);
}

function parse(args) {
  const [base, option, count, ...more] = args;
  const rounds = option === undefined ? 40 : Number(count);
  const right = base !== undefined && !base.startsWith("-") && (option === undefined || option === "--rounds");
  if (!right || more.length > 0 || !Number.isInteger(rounds) || rounds < 6) {
    throw new SetUpError("npm run bench:compare -- <commit> [--rounds <at least 6>]");
  }
  return { base, rounds };
}

async function git(...args) {
  const { code, stdout, output } = await run("git", ["-C", root, ...args]);
  if (code !== 0) throw new SetUpError(`git ${args[0]}: ${output.trim().split("\n")[0]}`);
  return stdout.trim();
}

const commitOf = (name) =>
  git("rev-parse", "--verify", "--quiet", `${name}^{commit}`).catch(() => {
    throw new SetUpError(`There is no commit "${name}" here.`);
  });

/** A worktree of the commit with its package and modules: { root, modules }. */
async function buildSide(side, commit) {
  const tree = join(root, "build/bench/compare", side);
  if (!existsSync(join(tree, ".git"))) {
    rmSync(tree, { recursive: true, force: true });
    mkdirSync(dirname(tree), { recursive: true });
    await git("worktree", "prune");
    await git("worktree", "add", "--detach", tree, commit);
  } else {
    const { code, output } = await run("git", ["-C", tree, "checkout", "--quiet", "--force", "--detach", commit]);
    if (code !== 0) throw new SetUpError(`git checkout ${commit} in ${tree}: ${output.trim()}`);
  }
  if (!existsSync(join(tree, "node_modules")))
    symlinkSync(join(root, "node_modules"), join(tree, "node_modules"), "dir");
  // Commits differ in the modules that they have; those before the list was exported have three.
  const { WASM_MODULES = ["core", "analysis", "model"] } = await import(
    pathToFileURL(join(tree, "tools/run/builds.mjs"))
  );
  const emcmake = join(readToolchain().emscripten.bin, "emcmake");
  await stage(
    `The package of ${side} (${commit.slice(0, 12)})`,
    [
      [emcmake, "cmake", "-S", tree, "-B", join(tree, "build/wasm"), "--preset", "wasm"],
      ["cmake", "--build", join(tree, "build/wasm"), "-j", jobs, "--target", ...WASM_MODULES],
      [process.execPath, join(tree, "tools/package/build.mjs")],
    ],
    { env: { ...cmakeEnvironment(), PATH: toolchainEnvironment().PATH }, cwd: tree },
  );
  const modules = join(tree, "build/bench-modules");
  await buildModules(tree, modules);
  return { root: tree, modules };
}
