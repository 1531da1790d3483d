import { WIDE } from "./draw/paper.js";
import { drawings, drawScene, type Shown } from "./scenes.js";

const begin: Shown = {
  swap: 0,
  heap: 0,
  at: 0,
  shift: 0,
  strands: 1,
  all: 0,
  slow: 0,
  yarn: 0,
  red: 0,
  cut: 0,
  back: 0,
};
/** The state of each scene with its question answered, which is seen where no script runs. */
const answered: readonly Partial<Shown>[] = [
  {},
  { heap: 1 },
  { at: 6 },
  { shift: 20 },
  { strands: 32 },
  { red: 1 },
  { cut: 1, back: 1 },
];

export const citation = (version: string) => `@misc{ropewalk,
  title  = {The Rope: how a model knows where a word stands},
  author = {{The Ropewalk authors}},
  year   = {2026},
  note   = {Ropewalk ${version}}
}`;

/** The first scene as the page opens with it. */
export const opening = drawScene(WIDE, 1, begin);

const style = "svg{color-scheme:light dark;font:13px system-ui,sans-serif;background:light-dark(#fff,#1a1d21)}";

/** Where the still of a scene lies in the site. */
export const stillFile = (scene: number) => `stills/scene-${scene}.svg`;

/** Each scene as a file of its own. `rules` is what draw/styles.css says. */
export function stillOf(scene: number, rules: string): string {
  const { width, height } = WIDE;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" class="stage-drawing"><title>${drawings[scene - 1]}</title>` +
    `<style>${style}${rules}</style>${drawScene(WIDE, scene, { ...begin, ...answered[scene - 1] })}</svg>\n`
  );
}
