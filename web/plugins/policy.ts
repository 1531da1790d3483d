import type { Plugin } from "vite";
import { hubHosts } from "../model/hub.js";

/**
 * The page may do this much: run its own scripts and WebAssembly, and fetch from its own folder, and from a hub when the
 * visitor asks for its model. Nothing else.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  `connect-src 'self' ${hubHosts.join(" ")}`,
  "worker-src 'self'",
  // The address of the root, for pages in folders below it.
  "base-uri 'self'",
  "form-action 'none'",
].join("; ");

/** Only in the built site: the development server injects inline styles and opens a socket for reloading. */
export const contentSecurityPolicy: Plugin = {
  name: "content-security-policy",
  apply: "build",
  transformIndexHtml: () => [
    { tag: "meta", attrs: { "http-equiv": "Content-Security-Policy", content: policy }, injectTo: "head-prepend" },
  ],
};
