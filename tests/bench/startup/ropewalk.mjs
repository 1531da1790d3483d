// node ropewalk.mjs PACKAGE [imported]: milliseconds to the first rotated number, from before the import or from its end.
const [, , url, from] = process.argv;
let begun = performance.now();
const { load } = await import(url);
if (from === "imported") begun = performance.now();
const rope = (await load()).rope({ headDim: 64 });
const x = new Float32Array(12 * 64).fill(1);
rope.rotate(x, { sequence: 1, heads: 12, positions: 1, out: x });
console.log(Math.abs(x[0] - (Math.cos(1) - Math.sin(1))) < 1e-6 ? performance.now() - begun : "its result is wrong");
