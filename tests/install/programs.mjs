// `node programs.mjs BUILD COMPILER`: installs a build folder into a new one and builds against it, in the ways that
// docs/cpp.md describes, the programs that it and docs/c-and-python.md show.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inTemporaryFolder, which } from "../../tools/setup/commands.mjs";
import { fromRoot } from "../../tools/setup/environment.mjs";
import { block, firstProgram, must, writeProject } from "./snippets.mjs";

/** The folder `pkgconfig` under a prefix, whatever its library folder is called. */
function pkgConfigFolder(prefix) {
  const found = readdirSync(prefix, { recursive: true }).find((path) => path.endsWith("pkgconfig"));
  if (!found) throw new Error(`${prefix} has no folder pkgconfig`);
  return join(prefix, found);
}

/** Builds and runs the first program with CMake's find_package. */
async function byFindPackage(folder, prefix, env) {
  const project = writeProject(join(folder, "find-package"), block("docs/cpp.md", "cmake", 0));
  const build = join(project, "build");
  await must("cmake", ["-S", project, "-B", build, `-DCMAKE_PREFIX_PATH=${prefix}`], { env });
  await must("cmake", ["--build", build], { env });
  firstProgram.check(await must(join(build, "first"), [], { env }));
}

/** Builds and runs the first program, and the one that loads a model, by the command of the document, which asks pkg-config. */
async function byPkgConfig(folder, prefix, env) {
  const project = writeProject(join(folder, "pkg-config"));
  const command = block("docs/cpp.md", "sh", 1)
    .split("\n")
    .find((line) => line.includes("pkg-config"))
    .replace(/^g\+\+/, '"$CXX"');
  const asking = { ...env, PKG_CONFIG_PATH: pkgConfigFolder(prefix) };
  await must("sh", ["-ec", command], { cwd: project, env: asking });
  firstProgram.check(await must(join(project, "first"), [], { env }));
  writeFileSync(join(project, "generate.cpp"), block("docs/cpp.md", "cpp", 1));
  await must("sh", ["-ec", command.replaceAll("first", "generate")], { cwd: project, env: asking });
  await generates(join(project, "generate"), env);
}

/** Runs that program as the document does, and on a decoder whose tokens a reference in float64 chose. */
async function generates(program, env) {
  const [, decoder, ...prompt] = block("docs/cpp.md", "sh", 2).trim().split(" ");
  const golden = fromRoot("tests/golden/decoders/llama");
  const { greedy } = JSON.parse(readFileSync(join(golden, "expected.json"), "utf8"));
  for (const [model, ids, expected] of [
    [fromRoot(decoder.replace(/^ropewalk\//, "")), prompt, block("docs/cpp.md", "text", 1)],
    [golden, greedy.prompt, `${greedy.tokens.slice(0, 12).join(" ")}\n`],
  ]) {
    const printed = await must(program, [model, ...ids.map(String)], { env });
    if (printed !== expected) throw new Error(`generate.cpp printed\n${printed}\nand not\n${expected}`);
  }
}

/** Builds and runs the program in C with the shared library. */
async function inC(folder, prefix, env) {
  const [program, models] = [0, 1].map((i) => block("docs/c-and-python.md", "c", i));
  const project = writeProject(join(folder, "c"), null, { "program.c": program, "models.c": models });
  const pkgConfig = pkgConfigFolder(prefix);
  const asking = { ...env, PKG_CONFIG_PATH: pkgConfig };
  const flags = `$(pkg-config --cflags --libs ropewalk_c) -Wl,-rpath,'${join(pkgConfig, "..")}'`;
  await must("sh", ["-ec", `"\${CC:-cc}" -std=c99 program.c models.c ${flags} -o program`], {
    cwd: project,
    env: asking,
  });
  await must(join(project, "program"), [], { env });
}

/** All three against what is installed under a prefix. `folder` is for the projects. */
export async function tryPrograms(folder, prefix, environment) {
  // The library alone has to do: nothing of the set-up is to be found.
  const env = { ...environment, HOME: folder, XDG_CACHE_HOME: join(folder, "cache"), ROPEWALK_INCLUDE_DIR: "" };
  await byFindPackage(folder, prefix, env);
  if (!which("pkg-config", env.PATH)) {
    console.log("No pkg-config here: its files were not tried.");
    return;
  }
  await byPkgConfig(folder, prefix, env);
  await inC(folder, prefix, env);
}

const main = ([build, compiler]) =>
  inTemporaryFolder("install", async (folder) => {
    const prefix = join(folder, "prefix");
    mkdirSync(prefix);
    await must("cmake", ["--install", build, "--prefix", prefix]);
    await tryPrograms(folder, prefix, { ...process.env, CXX: compiler });
    console.log("The installed library was found by CMake and pkg-config, and its programs ran.");
  });

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(process.argv.slice(2));
