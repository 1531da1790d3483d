// docs/model-types.md: every `model_type` of Transformers, and what its rope is, from the sheet of facts.
import { table } from "../markdown.mjs";

const number = (value) => value.toLocaleString("en-US", { maximumFractionDigits: 3 });

function headOf({ head, hidden, heads, headKey, headTimes, latent, nullHead }) {
  const isLatent = latent && headKey === undefined && nullHead === undefined;
  const key = headKey === "" ? "" : `\`${headKey ?? "head_dim"}\`${isLatent ? " or `qk_rope_head_dim`" : ""}, `;
  if (head !== undefined) return `${key}${head}`;
  const times = headTimes === undefined ? "" : `${headTimes} × `;
  return `${key}${times}hidden / heads${hidden && heads ? ` = ${Math.floor(hidden / heads) * (headTimes ?? 1)}` : ""}`;
}

function baseOf({ base, layers, rope }) {
  if (layers === undefined) return number(rope?.rope_theta ?? base ?? 10000);
  return Object.entries(layers)
    .map(([type, of]) => `${number(rope?.[type]?.rope_theta ?? of.base ?? 10000)} (${type})`)
    .join(", ");
}

function shareOf({ share, plainShare, rope, dimension, dimensionKey, shareRead, shareKey }) {
  if (dimension !== undefined) return `\`${dimensionKey}\`, ${dimension} channels`;
  const own = share ?? plainShare ?? rope?.partial_rotary_factor;
  const key = shareKey === "" ? "" : `\`${shareKey ?? "partial_rotary_factor"}\``;
  if (shareRead === undefined) return "all";
  return [key, own === undefined ? "all" : number(own)].filter((each) => each !== "").join(", ");
}

function moreOf(row) {
  const { rope, stillEvery, stillFull, latent, backwards, indexer, refuses } = row;
  const rule = rope?.rope_type ?? rope?.full_attention?.rope_type;
  return [
    rule === undefined ? "" : `rule ${rule} unless the file says another`,
    stillEvery === undefined ? "" : `every ${stillEvery}th layer does not rotate`,
    stillFull === undefined ? "" : "layers with full attention do not rotate",
    latent ? "latent attention" : "",
    indexer ? "an indexer beside the attention" : "",
    backwards ? "rotates by minus the position" : "",
    refuses === undefined ? "" : `refuses ${Object.keys(refuses).join(" ").replaceAll(" ", ", ")}`,
  ]
    .filter((each) => each !== "")
    .join("; ");
}

/** `lines` are the rows of the sheet as JSON, after one with the version and the types without a rotation. */
export function modelTypesPage(lines, families) {
  const [{ transformers, still }, ...rows] = lines.map((line) => JSON.parse(line));
  const classes = rows.filter(({ text, axes, code }) => !text && !axes && !code);
  const list = (names) => names.map((name) => `\`${name}\``).join(", ");
  const cells = (row) => [
    `\`${row.type}\``,
    row.pairing ?? "half",
    baseOf(row),
    headOf(row),
    shareOf(row),
    moreOf(row),
  ];
  return `# Model types

The first part of this page lists the models that Ropewalk reads. The second is for those who read or check configurations: it
lists every \`model_type\` of Transformers ${transformers}, and the rope that its class assumes where a configuration says nothing.

A program runs each class and writes the rows of the second part (\`tools/facts/sheet.py\`), and \`npm run generate\` writes this page.
\`python3 tools/facts/sheet.py --compare\` prints the rows in which an installed Transformers
differs; it needs the Python packages \`transformers\` and \`torch\`.

${families}
## ${classes.length} types whose positions have one axis

A row says what the class takes where the file does not have the key that is named: the base, the dimension of a head, and the
share of the head that rotates. Where the base differs by type of layers, that type stands in brackets.

- *Pairing* says which channels rotate together: \`half\` is j and j + d/2, \`interleaved\` 2j and 2j + 1, where d channels rotate.
- A head of \`head_dim\`, hidden / heads = 128 means: the key is \`head_dim\`; without it the class divides \`hidden_size\` by the
  number of heads, which is 128 for its own defaults.
- A share of "all" without a key means that the class reads a share only together with a rule that scales. A number without a key,
  such as 0.5, cannot be changed at the top level of the file.
- *Latent attention* (as in DeepSeek) computes keys and values from a shorter vector, and rotates a part of the head of its own. An
  *indexer*, which chooses the tokens that attention sees, rotates as well, and the checker does not read it. *Refuses* lists the
  rules for which the class raises an error.

${table(["`model_type`", "pairing", "base", "head dimension", "share that rotates", "more"], classes.map(cells))}

## Models with a text model of their own

Each is read as the type of its \`text_config\`.

${rows
  .filter(({ text }) => text)
  .map(({ type, text }) => `\`${type}\` (\`${text}\`)`)
  .join(", ")}.

## Positions with several axes

Images and videos have two or three positions for each token, so that a pair has no one frequency.
Readers refuse these types by name; \`ropewalk\` reads \`dinov3_vit\` and \`pixtral\`.

${list(rows.filter(({ axes }) => axes).map(({ type }) => type))}.

## Code of the checkpoint

Transformers has no class for these; checkpoints bring their own code, of which only the pairing was read. So the readers
\`transformers-4\` and \`transformers-5\` say nothing of them.

${list(rows.filter(({ code }) => code).map(({ type }) => type))}.

## No rotation

These types tell positions apart in another way, or not at all. \`ropewalk check\` says so and exits 0.

${list(still.split(" "))}.
`;
}
