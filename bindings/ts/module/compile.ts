/** From whatever holds the module's bytes to a compiled module. */
import { isBuffer, viewOf } from "./bytes.js";
import type { Open } from "./platform.js";

/** Where the module can come from instead of the package itself: edge runtimes, a CDN, strict hosting. */
export type WasmSource = URL | string | BufferSource | WebAssembly.Module | Response | PromiseLike<Response>;

async function compileBytes(bytes: BufferSource, where: string): Promise<WebAssembly.Module> {
  const head = viewOf(bytes).subarray(0, 4);
  if (String.fromCharCode(...head) !== "\0asm") {
    const text = String.fromCharCode(...viewOf(bytes).subarray(0, 16));
    throw new Error(
      `load: ${where} is not a WebAssembly module: it begins with ${JSON.stringify(text)}. A page that begins with ` +
        `"<" is what servers send for a file they do not find: check that core.wasm is where the address says.`,
    );
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw new Error(`load: ${where} cannot be compiled here; WebAssembly with fixed-width SIMD is needed`, {
      cause: error,
    });
  }
}

async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok)
    throw new Error(`load: ${response.url} could not be loaded: ${response.status} ${response.statusText}`);
  const isWasm = response.headers.get("content-type")?.split(";")[0]?.trim() === "application/wasm";
  if (isWasm && WebAssembly.compileStreaming) return WebAssembly.compileStreaming(response);
  // Servers that do not know the type send the right bytes under a wrong name.
  return compileBytes(await response.arrayBuffer(), response.url || "the response");
}

async function compileLocation(location: URL | string, open: Open): Promise<WebAssembly.Module> {
  if (typeof document !== "undefined" || typeof WorkerGlobalScope !== "undefined")
    return compileResponse(await fetch(location));
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of (await open(location)).chunks) parts.push(new Uint8Array(chunk));
  return compileBytes(await new Blob(parts).arrayBuffer(), String(location));
}

/** `name` is what the option is called. */
export async function compile(name: string, source: WasmSource, open: Open): Promise<WebAssembly.Module> {
  const given = await source;
  if (given instanceof WebAssembly.Module) return given;
  if (typeof given === "string" || given instanceof URL) return compileLocation(given, open);
  // Asked last: Node loads all of its fetch when somebody names Response, which takes longer than all else here.
  if (!isBuffer(given) && given instanceof Response) return compileResponse(given);
  return compileBytes(given, `the given \`${name}\``);
}
