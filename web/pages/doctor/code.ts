import type { RopeOptions } from "ropewalk";
import type { Snippets } from "../../code/code-drawer.js";
import { cppOptions, typescriptOptions } from "../../code/options.js";

/** The rope that a configuration describes, made from it and written out. */
export function configSnippets(options: RopeOptions): Snippets {
  const pad = cppOptions(options).replaceAll("\n", "\n  ");
  return {
    typescript: `import { load, ropeOptionsFromConfig } from "ropewalk";

const ropewalk = await load({ analysis: true });
// The options that ropeOptionsFromConfig(config) reads:
const rope = ropewalk.rope(${typescriptOptions(options)});
console.log(rope.explain().text);
`,
    cpp: `#include <cstdio>

#include <ropewalk/analysis.hpp>
#include <ropewalk/config.hpp>

int main() {
  // The options that ropewalk::rope_options_from_config(text) reads:
  const ropewalk::RopeOptions options = ${pad};
  std::printf("%s\\n", ropewalk::explain(options).text.c_str());
}
`,
  };
}
