/** The reader of GGUF files, in a file of its own: dist/gguf.js. */
export const loadGguf = () => import("./gguf.js");
