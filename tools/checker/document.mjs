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
model's family read its file alike. Where they do not, it says by how much they differ, and from which distance between two
tokens on this matters. It also judges a table of frequencies, such as a printed \`inv_freq\`: which rule and base explain it,
and whether it is what the configuration says.

\`\`\`sh
npx ropewalk check config.json                                    # by all libraries that support the family
npx ropewalk check config.json --readers transformers-5,llama.cpp # by those that you deploy to
npx ropewalk check config.json --readers transformers-5 --inv-freq printed.txt # and a table that a program printed
npx ropewalk check config.json --readers transformers-4,llama.cpp --fix # prints a file that these read alike
npx ropewalk check config.json --type bfloat16                    # also what the frequencies allow in this type
\`\`\`

The file may be the folder that holds it, a GGUF file, or the metadata of one as JSON. \`--cos\`, \`--sin\` and \`--position\` judge a row
of a program's tables in the place of \`--inv-freq\`. \`--layer-type\` chooses one type of layers. \`ropewalk check --help\` lists all
options.

## Exit codes

| exit code | meaning |
| ---: | --- |
| 0 | The readers agree, or a given table follows one of them. There may still be a warning, which names values that cannot be meant. The code is 0 as well where nothing rotates; the verdict then says how the model encodes positions instead. A table without a configuration gives 0 unless it looks uninitialised: the verdict names the rule that explains it, or says that none does. |
| 3 | A library differs. The verdict names it, the layers, the first token that it matters for, the key, and what to change. |
| 4 | The table is not what the configuration says. The verdict names the value of the file that it was made with instead, or the rule and base that explain it, that none does, the type of 16 bits that it was rounded to, or its magnitude. |
| 5 | The table looks uninitialised: no rule explains it, and it has numbers that are negative or not finite, or is zero, does not decrease, or begins far from 1. |
| 6 | Refused: most readers whose library supports the family refuse the file, or all of them. This verdict comes before any other. |
| 1 | A file cannot be read. If it is not JSON, the message names the line that holds a comment, a comma before a closing bracket, or Python's spelling. |
| 2 | A usage error. |

With \`--fix\` the code is the same, also where a file is printed. Where none is found, nothing is printed, and a code of 0 becomes
3: for GGUF files, for files with \`text_config\`, and where the strict reader refuses the file.

## Readers

Each reader but \`ropewalk\`, this library's own, repeats the code of one library at one version. Another version may read a
file differently.

${table(
  ["reader", "library, version and file"],
  [...READERS, "getattr-legacy"].map((reader) => readerRow(checkRope, configs, reader)),
)}

\`remote-gte\` and \`remote-nomic\` stand for code that checkpoints of GTE and Nomic bring along. With \`--readers\` you name
those that you deploy to; without it all are compared but \`getattr-legacy\`, which stands for code that looks for an attribute
that Transformers 5 no longer sets. A reader whose library does not support the family says nothing unless it is named.

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

## What is compared

Readings are compared for a sequence as long as the context. That is \`--context\`; if it is not given, the file's
\`max_position_embeddings\`, or what it calls that (\`n_positions\`, \`seq_length\`, GGUF's \`context_length\`); without that, the factor times the original length; without these, the default of the class; and
8192 where there is none. The verdict says which. Where a file has LongRoPE's factors and all read it alike, texts up to the
original length are compared as well, unless \`--context\` is given. A table of \`--inv-freq\` is compared with every type of
layers and with both lists of LongRoPE; a row of \`--cos\` and \`--sin\` with the list for the context alone. The verdict names the
one that it matches.

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
to the next. The frequencies are those of the strictest reader that reads the file. The limits change no exit code. The guide
says [what each number means](guide.md#what-a-base-allows).

The command reads \`NaN\` and \`Infinity\`, which Python's json writes, and refuses them where a rope needs a number. If a key
stands twice in one object, it says so on stderr; every reader takes the last.

## In a program

In JavaScript, \`checkRope(subject, options)\` returns the same as a \`RopeReport\`, after \`load({ analysis: true })\`. \`outliers\`
holds each library that differs, with its layers, the first token, the key, the change and the text to paste. \`problems\` holds
values of the file that cannot be meant, even if all readers agree on them.

In Python, \`ropewalk.check\` does it, and \`bindings/python/ropewalk/rope_check.py\` is a program of one file that needs nothing but
the standard library. They share no code with the library, and have the same readers except \`ropewalk\` and \`getattr-legacy\`.
They give the same codes and name the same keys: tests hold both to \`tests/golden/readers\`, \`readers-2\` and
\`transformers-ropes\`. The Python file knows only the common types of text models, and refuses any other. Unless it knows the head
of the type, it also refuses a file that has neither \`head_dim\` nor \`hidden_size\` and \`num_attention_heads\`; the library puts the sizes of the class there.

## In a repository

In a repository that holds a config.json, the GitHub Action or the hook for pre-commit checks it at every change. The
action runs the npm package, the hook runs \`rope_check.py\`. OWNER stands for the account that publishes the repository.
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
reader finds. A dash means that the library does not support the family. Tests hold the readings to values that the readers'
own code computed (\`tests/golden/readers\` and \`tests/golden/readers-2\`). The last columns compare all readers:

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
