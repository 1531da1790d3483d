// One suite in a process of its own: node suite-process.mjs '<{ suite, root, modules, models, timing, quick, long,
// more }>'; sends { group } as they come, and { error } if it cannot go on.
import { decodersInNode } from "../suites/decoders-in-node.mjs";
import { SUITES } from "../suites/index.mjs";
import { modelsInNode } from "../suites/models-in-node.mjs";
import { nativeSuite } from "../suites/native.mjs";
import { startupSuite } from "../suites/startup.mjs";
import { nodeHost } from "./node.mjs";

const { suite, root, modules, models, timing, quick, long, more } = JSON.parse(process.argv[2]);
const suites = {
  ...SUITES,
  native: nativeSuite,
  startup: startupSuite,
  models: modelsInNode,
  decoders: decodersInNode,
};
try {
  const options = { timing, quick, long, ...more, report: (group) => process.send({ group }) };
  await suites[suite](nodeHost({ root, modules, models }), options);
  // The last message is under way until it is answered for.
  process.send({ done: true }, () => process.exit(0));
} catch (error) {
  process.send({ error: String(error?.message ?? error) }, () => process.exit(1));
}
