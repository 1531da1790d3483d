// `npm start`: the playground, served on this machine.
import { spawn } from "node:child_process";
import { which } from "../setup/commands.mjs";
import { fromRoot } from "../setup/environment.mjs";
import { say } from "../setup/progress.mjs";
import { serveFolder } from "./serve.mjs";

const FIRST_PORT = 5173;

function openOnDesktop(address) {
  if (process.env.CI) return;
  const hasDesktop = process.platform === "darwin" || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  const opener = which(process.platform === "darwin" ? "open" : "xdg-open");
  if (!hasDesktop || !opener) return;
  const child = spawn(opener, [address], { detached: true, stdio: "ignore" });
  child.on("error", () => {});
  child.unref();
}

export async function servePlayground() {
  const { address } = await serveFolder(fromRoot("dist-site"), FIRST_PORT);
  say(`\nThe playground is at ${address}  (Ctrl+C ends it)`);
  openOnDesktop(address);
}
