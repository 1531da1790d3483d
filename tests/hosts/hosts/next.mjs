// Next with either of its bundlers: a server component, a route handler and a client component, each with all steps.
import { freePort, inChromium } from "../browsers.mjs";
import { versionOf } from "../folder.mjs";
import { allOf } from "../results.mjs";

const layout = `
  export default function Layout({ children }) {
    return <html lang="en"><body>{children}</body></html>;
  }
`;

/** The address of the checkpoint comes from the environment of the server, as a setting of an app does. */
const page = `
  import { load } from "ropewalk";
  import { Client } from "./client.js";
  import { runSteps } from "./steps.js";
  export const dynamic = "force-dynamic";
  export default async function Page() {
    const base = process.env.ROPEWALK_MODEL;
    return <Client base={base} server={await runSteps(load, base)} />;
  }
`;

const client = `
  "use client";
  import { load } from "ropewalk";
  import { useEffect } from "react";
  import { runSteps } from "./steps.js";
  export function Client({ base, server }) {
    useEffect(() => {
      runSteps(load, base).then((client) => {
        globalThis.results = { client, server };
      });
    }, [base, server]);
    return <p>Host</p>;
  }
`;

const route = `
  import { load } from "ropewalk";
  import { runSteps } from "../steps.js";
  export const dynamic = "force-dynamic";
  export async function GET() {
    return Response.json(await runSteps(load, process.env.ROPEWALK_MODEL));
  }
`;

const next = (bundler, flag) => ({
  name: `Next, ${bundler}`,
  ways: "server component, route handler and client component; `next build`, `next start`",
  packageOf: "next",
  async run({ folder, project }) {
    const packages = ["next", "react", "react-dom"].map((name) => `${name}@${versionOf(name)}`);
    const options = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
    await folder.run("npm", "install", project.tarball, ...packages, ...options);
    folder.write("app/layout.js", layout);
    folder.write("app/page.js", page);
    folder.write("app/client.js", client);
    folder.write("app/route/route.js", route);
    folder.addSteps("app/steps.js");
    const program = "node_modules/next/dist/bin/next";
    await folder.run(process.execPath, program, "build", flag);
    const port = await freePort();
    const args = [program, "start", "--hostname", "127.0.0.1", "--port", String(port)];
    const ready = `http://127.0.0.1:${port}/favicon.ico`;
    return folder.withServer(process.execPath, args, ready, async () => {
      const address = `http://127.0.0.1:${port}/`;
      const handler = await (await fetch(`${address}route`)).json();
      const { results } = await inChromium(address);
      return allOf([handler, results.server, results.client]);
    });
  },
});

export const hosts = [next("Turbopack", "--turbopack"), next("webpack", "--webpack")];
