/** XGrammar's own WebAssembly module, of the package @mlc-ai/web-xgrammar, as Embind shows it. */
import create from "ropewalk:grammar-glue";
import inlined from "ropewalk:grammar-inlined";
import type { ClassHandle } from "../../module/glue.js";
import { unpack } from "../../module/unpack-web.js";
import { refuse } from "../refuse.js";

type CompiledGrammar = ClassHandle;
type TokenizerInfo = ClassHandle;

export interface NativeMatcher extends ClassHandle {
  /** One bit for each token, as a vector of words. */
  GetNextTokenBitmask(size: number): ClassHandle;
  AcceptToken(id: number, verbose: boolean): boolean;
}

interface Compiler extends ClassHandle {
  CompileJSONSchema(
    schema: string,
    anyWhitespace: boolean,
    indent: undefined,
    separators: undefined,
    strict: boolean,
    whitespace: undefined,
  ): CompiledGrammar;
  CompileStructuralTag(json: string): CompiledGrammar;
}

export interface XGrammar {
  vecStringFromJSArray(texts: readonly string[]): ClassHandle;
  vecIntFromJSArray(numbers: readonly number[]): ClassHandle;
  /** A view of the module's memory. */
  vecIntToView(vector: ClassHandle): Int32Array;
  TokenizerInfo: new (
    pieces: ClassHandle,
    form: string,
    size: number,
    stops: ClassHandle,
    prependsSpace: boolean,
  ) => TokenizerInfo;
  GrammarCompiler: new (tokens: TokenizerInfo, threads: number, caches: boolean) => Compiler;
  GrammarMatcher: new (
    grammar: CompiledGrammar,
    stops: undefined,
    endsWithoutStop: boolean,
    rollback: number,
  ) => NativeMatcher;
}

/** A module of its own, and what it prints, by which alone it says why it refuses. */
export async function startXGrammar(fn: string): Promise<{ native: XGrammar; printed: string[] }> {
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  const bytes = await unpack(inlined);
  let module: WebAssembly.Module;
  try {
    module = await WebAssembly.compile(bytes);
  } catch (cause) {
    throw Object.assign(refuse.lacking(fn, "`schema` and `regex` need a host that compiles WebAssembly"), { cause });
  }
  const native = await create({
    print,
    printErr: print,
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(module, imports).then(done);
      return {};
    },
  });
  return { native: native as XGrammar, printed };
}
