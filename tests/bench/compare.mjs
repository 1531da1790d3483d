// `npm run bench:compare -- BASE`: this commit against another. Both are built in worktrees below build/, and
// sampled pair by pair in the order A B B A, so that what drifts cancels out. "faster" and "slower" are said when the
// interval leaves 1 out.
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { digits, table, time } from "../../tools/markdown.mjs";
import { cmakeEnvironment, jobs } from "../../tools/run/builds.mjs";
import { git } from "../../tools/run/git.mjs";
import { stage } from "../../tools/run/stages.mjs";
import { fromRoot, readToolchain } from "../../tools/setup/environment.mjs";
import { setUp } from "../../tools/setup/index.mjs";
import { SetUpError, say } from "../../tools/setup/progress.mjs";
import { buildModules } from "./builds.mjs";
import { pairedRatio } from "./harness/statistics.mjs";

/** Rounds of A B B A, for each case. */
const ROUNDS = 40;

export async function compare([base, ...more]) {
  if (base === undefined || base.startsWith("-") || more.length > 0)
    throw new SetUpError("npm run bench:compare -- <commit>");
  const sides = { base: commitOf(base), head: commitOf("HEAD") };
  if (sides.base === sides.head) throw new SetUpError(`${base} is the commit that is checked out: name another one.`);
  await setUp({ native: true, wasm: true });
  const built = {};
  for (const [side, commit] of Object.entries(sides)) built[side] = await buildSide(side, commit);
  if (git("status", "--porcelain", "--untracked-files=no") !== "")
    say("\nWhat is not committed is not measured: both sides are commits.");
  say(`\n== ${sides.base.slice(0, 12)} (base) against ${sides.head.slice(0, 12)} (head), ${ROUNDS} rounds of A B B A`);
  // Here, since they use packages that set-up installs.
  const { comparePairs } = await import("./pairs.mjs");
  const rows = [];
  await comparePairs(built, ROUNDS, ({ title, base: a, head: b, error }) => {
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

function commitOf(name) {
  try {
    return git("rev-parse", "--verify", "--quiet", `${name}^{commit}`);
  } catch {
    throw new SetUpError(`There is no commit "${name}" here.`);
  }
}

/** A worktree of the commit with its package and modules: { root, modules }. */
async function buildSide(side, commit) {
  const tree = fromRoot("build/bench/compare", side);
  if (!existsSync(join(tree, ".git"))) {
    rmSync(tree, { recursive: true, force: true });
    mkdirSync(dirname(tree), { recursive: true });
    git("worktree", "prune");
    git("worktree", "add", "--detach", tree, commit);
  } else {
    git("-C", tree, "checkout", "--quiet", "--force", "--detach", commit);
  }
  if (!existsSync(join(tree, "node_modules"))) symlinkSync(fromRoot("node_modules"), join(tree, "node_modules"), "dir");
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
    { env: cmakeEnvironment(), cwd: tree },
  );
  const modules = join(tree, "build/bench-modules");
  await buildModules(tree, modules);
  return { root: tree, modules };
}
