// The built package in Node: WebAssembly.

/** Tokens that are fed at once while the logits of all are wanted: as many as 100 MB hold of a large vocabulary. */
const PIECE = 64;

export async function openPackage(entry) {
  const { load } = await import(entry);
  const ropewalk = await load();
  return {
    name: "WebAssembly",
    async encode(folder, golden, precision) {
      const model = await ropewalk.encoder(folder, { precision });
      try {
        const vectors = await model.embed(golden.texts);
        // `encode` never cuts, and `embed` does.
        const ids = golden.texts.map((text) => cut([...model.encode(text).inputIds], model.maxTokens));
        return { ids, vectors };
      } finally {
        model.dispose();
      }
    },
    async decode(file, golden, precision) {
      const model = await ropewalk.decoder(file, { precision, context: 1024 });
      try {
        return golden.cases.map((reference) => runCase(model, reference));
      } finally {
        model.dispose();
      }
    },
  };
}

/** A text of more tokens than the model reads keeps its last, special token. */
const cut = (ids, length) => (ids.length <= length ? ids : [...ids.slice(0, length - 1), ids.at(-1)]);

function logSumExp(logits) {
  let most = Number.NEGATIVE_INFINITY;
  for (const value of logits) if (value > most) most = value;
  let sum = 0;
  for (const value of logits) sum += Math.exp(value - most);
  return most + Math.log(sum);
}

function likeliest(logits) {
  let best = 0;
  for (let id = 1; id < logits.length; id++) if (logits[id] > logits[best]) best = id;
  return best;
}

function runCase(model, { text, ids, greedy, positions }) {
  const cache = model.cache();
  const wanted = new Map(positions.map(({ at }, i) => [at, i]));
  const logits = [];
  let surprise = 0;
  let last;
  for (let from = 0; from < ids.length; from += PIECE) {
    const piece = ids.slice(from, from + PIECE);
    const all = cache.feed(piece, { all: true });
    const size = all.length / piece.length;
    for (let i = 0; i < piece.length; i++) {
      last = all.subarray(i * size, (i + 1) * size);
      if (wanted.has(from + i)) logits[wanted.get(from + i)] = last.slice();
      if (from + i + 1 < ids.length) surprise += logSumExp(last) - last[ids[from + i + 1]];
    }
  }
  const written = [likeliest(last)];
  while (written.length < greedy.length) written.push(likeliest(cache.feed([written.at(-1)])));
  cache.dispose();
  return { ids: model.encode(text), logits, likelihood: surprise / (ids.length - 1), greedy: written };
}
