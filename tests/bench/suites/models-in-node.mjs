// Measurements of models that only Node takes: windows against full attention, the first vector of a fresh process, and ten
// thousand embeddings in the same memory.
import { join } from "node:path";
import { measureGroup } from "../harness/group.mjs";
import { firstVectorsInNode, lastingGroup } from "../hosts/first-vector-in-node.mjs";
import { openLibrary } from "../hosts/native.mjs";
import { checked, openRopewalk } from "../models/engines.mjs";
import { MODELS } from "../models/shapes.mjs";
import { firstVectorGroup } from "./first-vector.mjs";
import { modelsSuite } from "./models.mjs";

export async function modelsInNode(host, options) {
  const library = (name, precision) => openLibrary(options, name, precision);
  await modelsSuite({ ...host, library }, options);
  if (!options.quick) options.report(await windowsGroup(host, options));
  options.report(await firstVectorGroup(host, firstVectorsInNode(options), options));
  options.report(await manyEmbedsGroup(options));
}

const WINDOWS_LENGTH = 2048;
/** As long as every token is in every other's window. */
const SAME_LENGTH = MODELS.modernbert.window;

/**
 * One base for all layers, so that the two models differ in their windows only: a text no longer than the window has the
 * same result in both, which is what is checked.
 */
async function windowsGroup(host, { long, timing }) {
  const bases = { local_rope_theta: MODELS.modernbert.bases.global };
  const first = {};
  const maker = (key, label, more) => ({
    key,
    label,
    make: async () => {
      const model = await openRopewalk(host, "modernbert", "int8", { ...bases, ...more });
      const { cosine } = await checked(model, SAME_LENGTH, first, "float32");
      // The call takes half a minute: it needs no trial to know that one is a sample.
      const took = Number.POSITIVE_INFINITY;
      return { ...model.at(WINDOWS_LENGTH).candidate, took, cosine, dispose: model.dispose };
    },
  });
  return measureGroup({
    suite: "models",
    host: host.name,
    key: "windows",
    title: `${MODELS.modernbert.title}, int8, ${WINDOWS_LENGTH} tokens`,
    makers: [
      maker("ropewalk", "ropewalk, windows in two layers of three", {}),
      maker("full", "ropewalk, full attention in all layers", { global_attn_every_n_layers: 1 }),
    ],
    timing: { ...timing, rounds: long ? 5 : 1, atLeast: long ? 5 : 1 },
  });
}

function manyEmbedsGroup({ root, models, quick }) {
  const count = quick ? 200 : 10_000;
  return lastingGroup("models/many-embeds.mjs", {
    root,
    folder: join(models, "minilm"),
    count,
    label: "ropewalk, int8, one text after the other",
    suite: "models",
    key: "embeds",
    title: `${MODELS.minilm.title}, ${count} embeds of one to four words`,
  });
}
