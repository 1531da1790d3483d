// A static server for this machine only.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
};

function fileFor(folder, address) {
  let path;
  try {
    path = decodeURIComponent(new URL(address, "http://localhost").pathname);
  } catch {
    return null;
  }
  if (path.includes("\0")) return null;
  let file = normalize(join(folder, path));
  if (file !== folder && !file.startsWith(folder + sep)) return null;
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) file = join(file, "index.html");
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() ? { file, size: stat.size } : null;
}

/** Headers under which a page is `crossOriginIsolated`, so that its threads may share memory. */
export const isolatingHeaders = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

/**
 * Serves a folder on 127.0.0.1 at the first free port from `firstPort` up, or at any free one if that is 0, with `headers`
 * besides the usual ones; resolves to { server, address }.
 */
export function serveFolder(folder, firstPort, headers = {}) {
  const server = createServer((request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { allow: "GET, HEAD" }).end();
      return;
    }
    const found = fileFor(folder, request.url ?? "/");
    if (!found) {
      response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("Not found\n");
      return;
    }
    response.writeHead(200, {
      "content-type": TYPES[extname(found.file)] ?? "application/octet-stream",
      "content-length": found.size,
      // A rebuilt page must be seen on the next reload.
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      ...headers,
    });
    if (request.method === "HEAD") response.end();
    else {
      createReadStream(found.file)
        .on("error", () => response.destroy())
        .pipe(response);
    }
  });
  return new Promise((resolve, reject) => {
    let port = firstPort;
    server.on("error", (error) => {
      if (error.code === "EADDRINUSE" && port < firstPort + 100) server.listen(++port, "127.0.0.1");
      else reject(error);
    });
    server.on("listening", () => resolve({ server, address: `http://127.0.0.1:${server.address().port}/` }));
    server.listen(port, "127.0.0.1");
  });
}
