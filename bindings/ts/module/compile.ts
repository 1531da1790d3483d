/** From whatever holds the module's bytes to a compiled module. */
import { isBuffer, viewOf } from "./bytes.js";
import type { Bytes, Open, WasmSource } from "./platform.js";

/** The file that an option replaces: core.wasm by `wasm`, model.wasm by `modelWasm`, and so on. */
const fileOf = (name: string) => `${name.slice(0, -4) || "core"}.wasm`;

/** Messages of V8, SpiderMonkey and JavaScriptCore when a policy, not the module, is in the way. */
const BY_POLICY = /content security policy|blocked by csp|unsafe-eval/i;
/** The same of runtimes that never compile bytes: workerd and others on V8. */
const BY_EMBEDDER = /disallowed by embedder/i;

/** The error of an engine that does not compile a module, with its reason and what helps. */
function refused(name: string, where: string, cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause);
  const help = BY_POLICY.test(why)
    ? "The Content Security Policy of this page must allow 'wasm-unsafe-eval' in script-src"
    : BY_EMBEDDER.test(why)
      ? `This runtime compiles no bytes: give load({ ${name} }) the WebAssembly.Module that an import of the file gives`
      : "WebAssembly with fixed-width SIMD is needed";
  return new Error(`load: ${where} cannot be compiled here: ${why}. ${help}.`, { cause });
}

/** Changes the bytes of a module before they are compiled. */
export type Edit = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;

async function compileBytes(name: string, bytes: Bytes, where: string, edit?: Edit): Promise<WebAssembly.Module> {
  const head = viewOf(bytes).subarray(0, 4);
  if (String.fromCharCode(...head) !== "\0asm") {
    const text = String.fromCharCode(...viewOf(bytes).subarray(0, 16));
    throw new Error(
      `load: ${where} is not a WebAssembly module: it begins with ${JSON.stringify(text)}. ` +
        `Is ${fileOf(name)} there?`,
    );
  }
  try {
    return await WebAssembly.compile(edit?.(viewOf(bytes) as Uint8Array<ArrayBuffer>) ?? (bytes as BufferSource));
  } catch (cause) {
    throw refused(name, where, cause);
  }
}

async function compileResponse(name: string, response: Response, edit?: Edit): Promise<WebAssembly.Module> {
  const where = response.url || "the response";
  if (!response.ok) throw new Error(`load: ${where} could not be loaded: ${response.status} ${response.statusText}`);
  const isWasm = response.headers.get("content-type")?.split(";")[0]?.trim() === "application/wasm";
  // Servers that do not know the type send the right bytes under a wrong name.
  if (!isWasm || edit || !WebAssembly.compileStreaming) {
    return compileBytes(name, await response.arrayBuffer(), where, edit);
  }
  try {
    return await WebAssembly.compileStreaming(response);
  } catch (cause) {
    throw refused(name, where, cause);
  }
}

async function compileLocation(
  name: string,
  location: URL | string,
  open: Open,
  edit?: Edit,
): Promise<WebAssembly.Module> {
  const { response, chunks } = await open(location);
  if (response !== undefined) return compileResponse(name, response, edit);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of chunks) parts.push(new Uint8Array(chunk));
  return compileBytes(name, await new Blob(parts).arrayBuffer(), String(location), edit);
}

/** `name` is what the option is called. A module that is given compiled is not edited. */
export async function compile(name: string, source: WasmSource, open: Open, edit?: Edit): Promise<WebAssembly.Module> {
  const given: URL | string | Bytes | WebAssembly.Module | Response = await source;
  if (given instanceof WebAssembly.Module) return given;
  if (typeof given === "string" || given instanceof URL) return compileLocation(name, given, open, edit);
  // Asked last: Node loads all of its fetch when somebody names Response, which takes longer than all else here.
  if (!isBuffer(given) && given instanceof Response) return compileResponse(name, given, edit);
  return compileBytes(name, given, `\`${name}\``, edit);
}
