// `node tools/run/isolated.mjs FOLDER`: serves a folder with the two headers under which its pages may share memory.
import { resolve } from "node:path";
import { say } from "../setup/progress.mjs";
import { isolatingHeaders, serveFolder } from "./serve.mjs";

const folder = resolve(process.argv[2] ?? "dist-site");
const { address } = await serveFolder(folder, 5173, isolatingHeaders);
say(`${folder} is at ${address}, and \`crossOriginIsolated\` is true there  (Ctrl+C ends it)`);
