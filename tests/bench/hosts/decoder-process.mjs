// A decoder on one thread in a process of its own. Argument: { root, modules, models }, as nodeHost has them. Answers
// { make: { work, held } } and { sample: iterations }.
import { openRopewalk } from "../decoders/engines.mjs";
import { WORK } from "../decoders/work.mjs";
import { calling } from "../harness/sampler.mjs";
import { nodeHost } from "./node.mjs";

const engine = openRopewalk(nodeHost(JSON.parse(process.argv[2])));
let candidate;

async function answer(request) {
  if (request.sample !== undefined) return candidate.sample(request.sample);
  const { work, held } = request.make;
  candidate = calling("", "", WORK[work](await engine, held));
  return "ok";
}

process.on("message", (request) => {
  answer(request).then(
    (result) => process.send({ result }),
    (error) => process.send({ error: String(error?.message ?? error) }),
  );
});
process.on("disconnect", () => process.exit(0));
