import type { Plugin } from "vite";
import { pageNames } from "../pages/index.js";

interface Chunk {
  readonly type: "chunk";
  readonly fileName: string;
  readonly facadeModuleId: string | null;
  readonly imports: readonly string[];
  readonly code: string;
  readonly viteMetadata?: {
    readonly importedCss: ReadonlySet<string>;
    readonly importedAssets: ReadonlySet<string>;
  };
}

/** Every page on this thread that loads the package loads these. */
const library = ["lib/web.js", "lib/core-inlined.js"];
/** This page answers from its HTML. On a slow line its own code would share the way with the library. */
const answersWithoutLibrary = "story";

/** The part of index.html that holds a page's prose. */
const section = (html: string, page: string) => new RegExp(`id="${page}-page".*?</section>`, "s").exec(html)?.[0] ?? "";

function fontNamed(bundle: object, name: string): string {
  const font = Object.keys(bundle).find((file) => file.includes(`/${name}-`) && file.endsWith(".woff2"));
  if (!font) throw new Error(`the build has no font ${name}`);
  return font;
}

/**
 * Puts into index.html which files each page needs before it can be drawn. boot.js asks for those of the page that the
 * address names, so that they are on their way while the first script is still being read.
 */
export const preloads: Plugin = {
  name: "preloads",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    handler(html, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk") as unknown as Chunk[];
      const named = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
      const gather = (file: string, found: Set<string>): Set<string> => {
        const chunk = named.get(file);
        if (!chunk || found.has(file)) return found;
        found.add(file);
        for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
        // A page asks for its recorded answers at once.
        for (const asset of chunk.viteMetadata?.importedAssets ?? []) if (asset.endsWith(".json")) found.add(asset);
        for (const other of chunk.imports) gather(other, found);
        if (/import\(["`']\.\.\/lib\/web\.js/.test(chunk.code)) for (const part of library) found.add(part);
        return found;
      };
      const needed = pageNames.map((page) => {
        const panel = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/pages/${page}/panel.tsx`));
        if (!panel) throw new Error(`the build has no code of the page ${page}`);
        const gathered = gather(panel.fileName, new Set());
        if (page === answersWithoutLibrary) for (const part of library) gathered.delete(part);
        // Late glyphs would set the first formula that a visitor sees wrong.
        const text = [section(html, page), ...[...gathered].map((file) => named.get(file)?.code ?? "")].join("");
        for (const [sign, font] of [
          ["<math", "maths"],
          ["tml-prime", "Temml"],
        ] as const)
          if (text.includes(sign)) gathered.add(fontNamed(bundle, font));
        // Files that the HTML itself asks for are on their way already.
        const files = [...gathered].filter((file) => !html.includes(`"./${file}"`));
        return [page, files] as const;
      });
      const text = JSON.stringify(Object.fromEntries(needed)).replaceAll("'", "&#39;");
      return html.replace('data-preloads=""', () => `data-preloads='${text}'`);
    },
  },
};
