// docs/checker.md: the guide to the checker, with the verdict of every reference case.
//   node tools/checker/document.mjs     writes it, from the package in dist/
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { table } from "../markdown.mjs";
import { fromRoot } from "../setup/environment.mjs";

const golden = (name) => JSON.parse(readFileSync(fromRoot("tests/golden/readers", `${name}.json`), "utf8"));

const READERS = [
  ...["ropewalk", "transformers-4", "transformers-5", "vllm", "sglang", "mlx-lm", "onnxruntime-genai", "llama.cpp"],
  ...["remote-gte", "remote-nomic"],
];
const rounded = (value) => String(Number(value.toPrecision(6)));

function row(checkRope, configs, { config: name, context, layerType }) {
  const { config } = configs.find((each) => each.name === name);
  const options = layerType === null ? { context } : { context, layerType };
  const { readings, refusals, differences, code } = checkRope({ config }, options);
  const cells = READERS.map((reader) => {
    const found = readings.find((each) => each.reader === reader);
    if (found !== undefined) return `${found.rule}, ${rounded(found.base)}`;
    return refusals.some((each) => each.reader === reader) ? "refuses" : "–";
  });
  const turns = Math.max(0, ...differences.map((each) => each.turnsAtContext));
  const from = Math.min(...differences.map((each) => each.tokensUntilTenthRadian));
  const what = [name, layerType, `${context} tokens`].filter(Boolean).join(", ");
  const harm = [Number(turns.toPrecision(3)), Number.isFinite(from) ? from : "never"];
  return [what, ...cells, code, ...harm];
}

function tableRow(checkRope, { name, config, reader, inverseFrequencies, row: cosSin }) {
  const subject = {
    ...(config === null ? {} : { config }),
    ...(inverseFrequencies === undefined ? {} : { inverseFrequencies: inverseFrequencies.map(Number) }),
    ...(cosSin === undefined ? {} : { row: cosSin }),
  };
  const { code, verdict } = checkRope(subject, reader === null ? {} : { readers: [reader] });
  return [name, code, verdict];
}

/** A reader and what it repeats, as its report of the first file that it reads says. */
function readerRow(checkRope, configs, reader) {
  const { source } = configs
    .flatMap(({ config }) => checkRope({ config }, { readers: [reader] }).readings)
    .find((reading) => reading.reader === reader);
  return [`\`${reader}\``, source.replace(" (emulated)", "")];
}

/** @param checkRope of a package whose analysis is loaded */
export function checkerDocument(checkRope) {
  const { configs } = golden("configs");
  const { reports } = golden("reports");
  const { tables } = golden("tables");
  return `# The rope checker

Different libraries read the rotary position embeddings (RoPE) of the same \`config.json\` differently. The checker has a
*reader* for each library, which repeats how that library reads the file. A wrong base or a lost scaling rule gives a model
that runs and is a little worse, the more so the longer the text. \`ropewalk check\` says whether the libraries that support a
model's family read its file alike. Where they do not, it says by how much the angles differ, and from which distance between two
tokens on they differ by 0.1 radian. It also judges a table of frequencies, such as a printed \`inv_freq\`: which rule and base explain it,
and whether it is what the configuration says.

The package is not on npm yet: these commands run in a folder where it is
[installed](../README.md#install-and-a-first-result). Without a build a Python file of the clone checks the common text models,
by the same readers: \`python3 bindings/python/ropewalk/rope_check.py config.json --readers vllm,llama.cpp\`. It reads no GGUF
files, and has no \`--fix\`, \`--type\`, \`--cos\` or \`--sin\`.

\`\`\`sh
npx ropewalk check config.json                                    # by all libraries that support the family
npx ropewalk check config.json --readers transformers-5,llama.cpp # by those that you deploy to
npx ropewalk check config.json --readers transformers-5 --inv-freq printed.txt # and a table that a program printed
npx ropewalk check config.json --readers transformers-4,llama.cpp --fix # prints a file that these read alike
npx ropewalk check config.json --type bfloat16                    # also how far angles of this type tell positions apart
\`\`\`

In the place of \`config.json\` you may name the folder that holds it, a GGUF file, the metadata of one as JSON, or \`-\` for
standard input. Several files are checked one after the other, and the exit code is the highest. Only \`ropewalk\` and
\`llama.cpp\` read GGUF files. Of a config.json, \`llama.cpp\` is what its converter writes, as its runtime then reads it.

\`printed.txt\` is what your program prints of its frequencies, such as \`print(module.inv_freq.tolist())\` in PyTorch; a .npy file
works too. \`--cos\`, \`--sin\` and \`--position\` judge a row of a program's tables instead. \`--layer-type\` chooses one type of
layers. \`ropewalk check --help\` lists all options.

## Exit codes

| exit code | meaning |
| ---: | --- |
| 0 | All readers that read the file read it alike, or a given table follows one of them. A reader that refuses the file does not change the code unless code 6 holds. There may still be a warning, which names values that must be mistakes. The code is 0 as well where nothing rotates, also in a GGUF file; the verdict then says how the model encodes positions instead. A table without a configuration gives 0 unless it looks uninitialised: the verdict names the rule that explains it, or says that none does. |
| 3 | A library differs. The verdict names it, the layers, the smallest distance between two tokens at which an angle differs by 0.1 radian, the key, and what to change. |
| 4 | The table is not what the configuration says. The verdict says why: another value in the place of one of the file, another rule or base, no known rule, rounding to 16 bits, or another attention scaling. |
| 5 | The table looks uninitialised: no rule explains it, and it has numbers that are negative or not finite, or is zero, does not decrease, or begins far from 1. |
| 6 | Refused: more readers refuse the file than read it, or none reads it. Readers whose library does not support the family are not counted. This verdict comes before any other. |
| 1 | A file cannot be read. If it is not JSON, the message names the line that holds a comment, a comma before a closing bracket, or Python's spelling. |
| 2 | A usage error. |

With \`--fix\` only the new file is printed, and the code stays as in the table. If there is no such file, nothing is printed, and a
code of 0 becomes 3. That is so for GGUF files, for files with \`text_config\`, for models that do not rotate, and where
\`ropewalk\`, the strict reader, does not read the file.

## Readers

Each reader repeats the code of one library at one version; the library need not be installed. Another version may read a file
differently. \`ropewalk\` is this library's own reader, and the strict one: it refuses what others pass over.

${table(
  ["reader", "library, version and file"],
  [...READERS, "getattr-legacy"].map((reader) => readerRow(checkRope, configs, reader)),
)}

\`remote-gte\` and \`remote-nomic\` stand for code that checkpoints of GTE and Nomic bring along. \`getattr-legacy\`
is no library. It shows what code gets that asks a configuration of Transformers 5 for \`rope_theta\`, which is no longer set
there.

\`--readers\` names the libraries that you deploy to. Without it all readers but \`getattr-legacy\` are compared. A reader whose
library does not support the family is left out. If you name it, the report lists it as refusing; that changes the exit code
only if no other reader reads the file.

## An example

This is how Transformers 5 writes the rotation of Llama 3.1:

\`\`\`json
{"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "max_position_embeddings": 131072,
 "rope_parameters": {"rope_type": "llama3", "rope_theta": 500000, "factor": 8, "low_freq_factor": 1,
  "high_freq_factor": 4, "original_max_position_embeddings": 8192}}
\`\`\`

\`\`\`sh
npx ropewalk check config.json --readers transformers-4,transformers-5,llama.cpp
\`\`\`

\`\`\`text
transformers-4 differs: it reads rule "default" with base 10000, transformers-5 and llama.cpp rule "llama3" with base 500000; from token 1 on an angle is off by 0.1 radian, at 131072 tokens (max_position_embeddings) by up to 2700 turns (pair 1 is the first). To do: \`rope_parameters\`: write \`rope_theta\` (and \`rope_scaling\`) at the top level as well: Transformers 4 does not read \`rope_parameters\`; write "rope_theta": 500000, "rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192}.

reader	layers	rule	base	pairs	pairing	attention scaling
transformers-4	all	default	10000	64	half	1
transformers-5	all	llama3	500000	64	half	1
llama.cpp	all	llama3	500000	64	half	1
...
\`\`\`

A turn is 360 degrees, and whole turns count: the difference is not reduced to one turn. Pair 1 is the first pair whose frequency
differs, because pair 0 has frequency 1 with any base. *Half* as a pairing says that channels j and j + d/2 rotate together, and
*interleaved* 2j and 2j + 1, where d channels rotate.

## What is compared

Two readings differ if a frequency differs by more than 1e-9 of its value, or if the number of pairs, the pairing, the attention
scaling (a factor on cos and sin), the factor on the softmax scale or the layers without rotation differ. Each of these gives
code 3, even where no angle differs by 0.1 radian.

Readings are compared for a sequence as long as the context, which is the first of these that is known, and the verdict says
which: \`--context\`; the file's \`max_position_embeddings\`, or what it calls that (\`n_positions\`, \`seq_length\`, GGUF's
\`context_length\`); the factor times the original length; the default of the class; 8192.

LongRoPE has two lists of factors, \`short_factor\` for texts up to the original length and \`long_factor\` for longer ones. Where a
file has them and all read it alike, texts up to the original length are compared as well, unless \`--context\` is given. A table of
\`--inv-freq\` is compared with both lists and with every type of layers, a row of \`--cos\` and \`--sin\` with the list for the
context alone. The verdict names the one that it matches.

- vLLM and SGLang read the configuration with Transformers 5 and rotate by code of their own.
- mlx-lm has a model file for each family, and each reads keys of its own.
- The model builder of onnxruntime-genai recognises a rule by the members of its dictionary.
- llama.cpp decides some things of GGUF files by architecture, such as the base of Gemma 3's sliding layers. Its reader shares no
  code with the library's own.
- Meta's \`params.json\` of Llama is read as the config.json of the same model.

[Model types](model-types.md) lists the base, the head and the other defaults of each class of Transformers. The strict reader,
\`ropewalk\`, refuses a key that the class does not read, such as \`partial_rotary_factor\` of a plain Llama, with the name of the
class. It also refuses what this library has no option for: nanochat's rotation by minus the position, or Step 3.5's list of a
base for each layer.

A type that is not in that list is refused by every reader, with its name. Types whose positions have several axes are refused
too, because their pairs have no single frequency. The strict reader alone reads some of them, for [pictures and
video](vision.md).

With \`--type bfloat16\` (or float16, float32; \`type\` in a program) the report also has \`limits\`: up to which distance the
frequencies tell positions apart, whether they fit the context, and where angles of that type stop changing from one position
to the next. The frequencies are those of the first of these readers that reads the file: \`ropewalk\`, \`remote-gte\`,
\`remote-nomic\`, \`transformers-5\`, \`llama.cpp\`, or else the first of the report. The limits change no exit code. The guide
says [what each number means](guide.md#what-a-base-allows).

The command reads \`NaN\` and \`Infinity\`, which Python's json writes, and refuses them where a rope needs a number. If a key
stands twice in one object, it says so on stderr; every reader takes the last.

## In a program

In JavaScript, \`checkRope(subject, options)\` returns the same as a \`RopeReport\`, after \`load({ analysis: true })\`. \`outliers\`
holds each library that differs, with its layers, the first token, the key, the change and the text to paste. \`problems\` holds
values of the file that must be mistakes, even if all readers agree on them.

In Python, \`ropewalk.check\` does it, and \`bindings/python/ropewalk/rope_check.py\` is a program of one file that needs nothing but
the standard library. They share no code with the library, and have the same readers except \`ropewalk\` and \`getattr-legacy\`.
On the files of \`tests/golden/readers\` and \`readers-2\` tests hold both to the same codes and keys. The Python file does not
compare the pairing, the softmax scale or the layers without rotation, and where a file names no length it takes 8192 in place of
the default of the class. It knows only the common types of text models, and refuses any other. Unless it knows the head
of the type, it also refuses a file that has neither \`head_dim\` nor \`hidden_size\` and \`num_attention_heads\`; the library puts the sizes of the class there.

## In a repository

In a repository that holds a config.json, the GitHub Action or the hook for pre-commit checks it at every change. The
action runs the npm package, the hook runs \`rope_check.py\`. OWNER stands for the account that publishes the repository. Both work only once the repository is published with these
tags, and the action needs the package on npm as well; until then run \`rope_check.py\` in a step of your own.
\`.github/workflows/rope.yml\` for the action:

\`\`\`yaml
on: push
jobs:
  rope:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: OWNER/ropewalk@v0
        with:
          configs: model/config.json
\`\`\`

\`.pre-commit-config.yaml\` for the hook:

\`\`\`yaml
repos:
  - repo: https://github.com/OWNER/ropewalk
    rev: v0.1.0
    hooks:
      - id: ropewalk-check
        args: [--readers, "transformers-4,transformers-5"]
\`\`\`

## Configurations

Each row is a configuration of \`tests/golden/readers/configs.json\` and a context, and each cell the rule and the base that a
reader finds. A dash means that the library does not support the family. The context is given as \`--context\`, so that short
texts are not compared as well: without it Phi-3.5's published file gives 3, because vLLM, mlx-lm and llama.cpp choose one list of
LongRoPE's factors for all lengths. Tests hold the readings of all readers but \`ropewalk\` to values that the readers' own code
computed, or a separate program that agrees with it; the READMEs of \`tests/golden/readers\` and \`tests/golden/readers-2\` say what
was run and what was only read. The last columns compare all readers:

- *code*: the exit code.
- *turns*: the largest difference between two readers' angles at the end of the context.
- *from*: the first distance in tokens at which an angle differs by 0.1 radian.

${table(
  ["case", ...READERS, "code", "turns", "from"],
  reports.map((report) => row(checkRope, configs, report)),
  `l${"l".repeat(READERS.length)}r`,
)}

## Tables

From a table with the digits of float64, rule and base are recovered to 1e-6 of their value, and so are the options that
the table determines (\`tests/ts/check-recovery.test.ts\` tries random parameters). From float32 numbers, as PyTorch
prints them, the base of \`default\`, \`linear\`, \`yarn\`, \`llama3\` and \`proportional\` follows to 5e-7 as well. For
\`ntk-mixed\` and \`receptive-field\` it follows to 6e-6 and 2e-6, because their parameters nearly make up for each other
(1000 random tables of each rule). Some things no table tells:

- \`ntk\` and \`dynamic\` have the table of \`default\` with a larger base, which the verdict names.
- \`ntk-su\` has the table of \`linear\` with the base times the factor. The verdict names that rule, with factor^(2/d) as the
  factor.
- \`longrope\` and \`custom\` have a free number for each pair, so they would explain every table. \`longrope\` is
  recognised beside its configuration.
- \`yarn\` and \`llama3\` differ only in the ramp: the pairs between those that are kept and those that are divided. If the ramp
  covers two pairs or fewer, both rules fit, and the verdict prefers \`yarn\` when its ramp can end at whole pairs. The
  factor can be recovered only if at least one pair is divided by all of it.
- \`proportional\` with a fraction of 1 is \`default\` or \`linear\`.

Each row is a table of \`tests/golden/readers/tables.json\`, named after the rule and the type of numbers that made it, or after
its fault. The configuration is given as well, but not where the name ends in \`-alone\`, nor for \`ntk\` and \`proportional\`.

${table(
  ["table", "code", "verdict"],
  tables.map((each) => tableRow(checkRope, each)),
  "lrl",
)}

This page is written by \`node tools/checker/document.mjs\`; a test compares it.
`;
}

if (process.argv[1] === import.meta.filename) {
  const { load, checkRope } = await import(pathToFileURL(fromRoot("dist/node.js")).href);
  await load({ analysis: true });
  writeFileSync(fromRoot("docs/checker.md"), checkerDocument(checkRope));
}
