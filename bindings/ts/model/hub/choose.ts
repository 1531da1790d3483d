/** The smallest file of a repository that a model loads from. */
import groups from "ropewalk:families";
import type { Chosen } from "../files/model-files.js";
import { refuse } from "../refuse.js";

/** A file as a hub lists it. */
export interface Listed {
  path: string;
  size: number;
}

/** The type of most tensors, which names of GGUF files end in. */
const typeOf = ({ path }: Listed): string | undefined =>
  /(?:^|[-._])((?:I?Q|TQ)\d\w*|B?F(?:16|32)|MXFP4\w*)\.gguf$/i.exec(path)?.[1]?.toUpperCase();

/** Types of at least 8 bits, and smaller ones that are read. */
const LARGE = /^(Q8_0|B?F16|F32)$/;
const SMALL = /^(Q4_[01]|Q5_[01]|Q[45]_K(_[SM])?|Q6_K)$/;

/** Parts of a larger file, the pictures of a model, and what quantisation was guided by. */
const isPart = (path: string) => /-of-\d{5}\.gguf$|mmproj|imatrix/i.test(path);

const megabytes = ({ size }: Listed) => `${(size / 1e6).toFixed(1)} MB`;

/** A family whose GGUF files are read, by the `model_type` of config.json. */
const isRead = (modelType: unknown) => {
  const found = groups.filter(([names]) => names.includes(modelType as string));
  return found.some(([, { gguf }]) => gguf.length > 0);
};

/**
 * Among files of 8 bits or more the smallest; else the largest of those that are read, which lost the least. Without a GGUF
 * file nothing is chosen: model.safetensors, or its shards, are found by their names.
 */
export async function chooseWeights(
  fn: string,
  listed: readonly Listed[],
  modelType: () => Promise<unknown>,
): Promise<Chosen> {
  const ggufs = listed.filter(({ path }) => /\.gguf$/i.test(path) && !isPart(path));
  const safetensors = listed.filter(({ path }) => /^model(-\d+-of-\d+)?\.safetensors$/.test(path));
  const isModel = safetensors.length > 0 && listed.some(({ path }) => path === "config.json");
  if (ggufs.length === 0 || (isModel && !isRead(await modelType()))) return {};
  const whole = { path: "model.safetensors", size: safetensors.reduce((sum, { size }) => sum + size, 0) };
  const ofType = (pattern: RegExp) => ggufs.filter((file) => pattern.test(typeOf(file) ?? ""));
  const bySize = (a: Listed, b: Listed) => a.size - b.size;
  const [best] = [...ofType(LARGE), ...(isModel ? [whole] : [])].sort(bySize);
  const [only] = ggufs.length === 1 ? ggufs : ofType(SMALL).sort(bySize).slice(-1);
  const chosen = best ?? only;
  if (chosen === undefined) {
    const names = ggufs.map(({ path }) => path).join(", ");
    throw refuse.unsupported(
      fn,
      "repository",
      names,
      "files of Q8_0, F16, BF16, F32, Q6_K, Q5_K, Q4_K, Q5_0 or Q4_0; `file` names one",
    );
  }
  const among = ggufs.length + (isModel ? 1 : 0);
  const why = best === undefined ? "which lost the least" : "the smallest of at least 8 bits for each weight";
  const reason = among === 1 ? "the only file of weights" : `${why}, of ${among} files`;
  const note = `weights: ${chosen.path}, ${megabytes(chosen)}: ${reason}`;
  return chosen === whole ? { note } : { gguf: chosen.path, note };
}
