/// <reference lib="webworker" />
/** Keeps the whole site, the model too, so that after the first visit it needs no network. */

/** The build: a hash of all its files. Put in by web/plugins/offline.ts, as are the files' names. */
declare const BUILD: string;
declare const FILES: readonly string[];
/** Folders that are pages of the playground, such as `rotate/`. */
declare const PAGES: readonly string[];

const worker = self as unknown as ServiceWorkerGlobalScope;
const { scope } = worker.registration;
/** One host may serve several sites: each keeps to its own folder. */
const ours = `ropewalk ${scope} `;
const cacheName = ours + BUILD;
const kept = new Set(FILES.map((file) => new URL(file, scope).href));

worker.addEventListener("install", (event) => {
  // "no-cache" asks the host whether its files are still those of the browser's own cache: never an old build's.
  const requests = Array.from(kept, (url) => new Request(url, { cache: "no-cache" }));
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(requests)));
});

worker.addEventListener("activate", (event) => {
  const clean = async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith(ours) && name !== cacheName);
    await Promise.all(old.map((name) => caches.delete(name)));
    await worker.clients.claim();
  };
  event.waitUntil(clean());
});

// A newer build waits until the visitor asks for it, or until no page of the old one is open.
worker.addEventListener("message", ({ data }) => {
  if (data === "take over") void worker.skipWaiting();
});

const documentation = new URL("docs/", scope).href;
const withoutNetwork = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Documentation · Ropewalk</title>
<h1>This page of the documentation needs a network</h1>
<p>The playground works without one. Pages of the documentation that you have opened before do, too.</p>
<p><a href="${scope}">Back to the playground</a></p></html>`;

/** The documentation is large: a page of it is kept when it is read, and answered from there when no network is. */
async function documented(request: Request): Promise<Response> {
  const cache = await caches.open(cacheName);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const read = await cache.match(request, { ignoreSearch: true });
    if (read) return read;
    if (request.mode !== "navigate") throw error;
    return new Response(withoutNetwork, { status: 503, headers: { "content-type": "text/html; charset=utf-8" } });
  }
}

/** One document is kept for all pages: this is the one of the root as an address of a folder below needs it. */
async function seenFromFolder(root: Response): Promise<Response> {
  const html = (await root.text()).replace('<base href="./"', '<base href="../"');
  return new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
}

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method === "GET" && url.href.startsWith(documentation)) {
    event.respondWith(documented(request));
    return;
  }
  const place = url.href.replace(/(index\.html)?([?#].*)?$/, "");
  const inFolder = request.mode === "navigate" && PAGES.some((path) => place === scope + path);
  const page = inFolder || (request.mode === "navigate" && place === scope);
  const wanted = page ? scope : url.href.replace(/#.*$/, "");
  // Other hosts, other methods and whatever else lies in this folder are the browser's own affair.
  if (request.method !== "GET" || !kept.has(wanted)) return;
  const answer = async () => {
    const found = await (await caches.open(cacheName)).match(wanted);
    if (!found) return fetch(request);
    return inFolder ? seenFromFolder(found) : found;
  };
  event.respondWith(answer());
});
