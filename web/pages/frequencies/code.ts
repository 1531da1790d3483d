import type { RopeOptions } from "ropewalk";
import type { Snippets } from "../../code/code-drawer.js";
import { cppOptions, typescriptOptions } from "../../code/options.js";
import { longest } from "../../rope/facts.js";

interface Named {
  readonly name: string;
  readonly options: RopeOptions;
}

/** Every rope of the page, its frequencies, and what the library says of it. */
export function frequencySnippets(ropes: readonly Named[], context: number): Snippets {
  const limits = (name: string) =>
    context <= longest ? `\nconsole.log(${name}.explain({ context, type: "bfloat16" }).limits?.text);` : "";
  const typescript = ropes.map(
    ({ name, options }) => `const ${name} = ropewalk.rope(${typescriptOptions(options)});
console.log(${name}.frequencies, ${name}.wavelengths, ${name}.magnitude);
console.log(${name}.turns(context).incomplete);
console.log(${name}.explain({ context }).text);${limits(name)}`,
  );
  const cpp = ropes.map(({ name, options }) => {
    const initialiser = cppOptions(options).replaceAll("\n", "\n  ");
    return `  const ropewalk::RopeOptions ${name}_options = ${initialiser};
  const ropewalk::Rope ${name}(${name}_options);
  for (const double theta : ${name}.frequencies()) std::printf("%.17g ", theta);
  std::printf("\\n%s\\n", ropewalk::explain(${name}_options, context).text.c_str());`;
  });
  return {
    typescript: `import { load } from "ropewalk";

const ropewalk = await load({ analysis: true });
const context = ${context};

${typescript.join("\n\n")}
`,
    cpp: `#include <cstdio>

#include <ropewalk/analysis.hpp>
#include <ropewalk/rope.hpp>

int main() {
  const double context = ${context};

${cpp.join("\n\n")}
}
`,
  };
}
