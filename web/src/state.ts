import { batch, effect, type Signal, signal } from "@preact/signals";
import { choice, type Field, integer, number, text } from "./fields.js";
import { optionalRule, rule } from "./frequencies/rules.js";

/**
 * Everything a link restores, room by room: `#rotate?m=12&n=3`. A field at its fallback is left out, an unknown field
 * is ignored, and a value that its field does not allow becomes the fallback and is told in `notes`.
 */
export const table = {
  roformer: {
    text: text("the captain gave the rope to the sailor . now the [MASK] has the rope .", 4000),
    /** off: the same weights without any turning, to see what only the rotation knows. */
    rotation: choice("on", ["on", "off"]),
    layer: integer(0, 0, 95),
    head: integer(0, 0, 127),
    /** The locked row (query) and column (key) of the large head; -1: none. */
    from: integer(-1, -1, 4095),
    to: integer(-1, -1, 4095),
  },
  rotate: {
    d: number(16, 8, 64, 2),
    pairing: choice("interleaved", ["interleaved", "half"]),
    base: choice("10000", ["100", "1000", "10000", "500000"]),
    vectors: choice("related", ["related", "equal", "random", "ones"]),
    /** The fallback is a draw whose pairs all have two arrows to be seen, and whose score falls off with distance. */
    seed: integer(583, 1, 9999),
    span: choice("64", ["32", "64", "256", "1024"]),
    m: number(12, 0, 1024, 0.01),
    n: number(3, 0, 1024, 0.01),
    shift: number(0, 0, 1024, 0.01),
    pair: integer(0, 0, 31),
  },
  frequencies: {
    d: number(128, 4, 256, 2),
    context: integer(8192, 16, 1 << 24),
    a: rule({ type: "default", values: { base: 500000 } }),
    b: optionalRule({
      type: "llama3",
      values: {
        base: 500000,
        factor: 8,
        lowFrequencyFactor: 1,
        highFrequencyFactor: 4,
        originalMaxPositions: 8192,
      },
    }),
    pair: integer(40, 0, 127),
    /** A config.json as it was pasted. One that is too long for a link is left out of it. */
    config: text("", 12000),
    layers: text("", 64),
  },
  distance: {
    d: number(128, 4, 256, 2),
    rule: rule({ type: "default", values: { base: 10000 } }),
    span: choice("256", ["64", "256", "1024", "4096"]),
    vectors: choice("related", ["related", "equal", "random", "ones", "own"]),
    seed: integer(583, 1, 9999),
    q: text("", 8000),
    k: text("", 8000),
    threshold: number(0.5, -0.95, 0.95, 0.05),
    at: number(16, 0, 4096, 0.25),
  },
} as const satisfies Record<string, Record<string, Field<unknown>>>;

export type Room = keyof typeof table;
export const rooms = Object.keys(table) as Room[];
/** The room of an address without one. */
const firstRoom: Room = "roformer";

type Value<F> = F extends Field<infer T> ? T : never;
type RoomState<R extends Room> = { readonly [K in keyof (typeof table)[R]]: Signal<Value<(typeof table)[R][K]>> };

function signalsOf<R extends Room>(room: R): RoomState<R> {
  const entries = Object.entries<Field<unknown>>(table[room]).map(([name, field]) => [name, signal(field.fallback)]);
  return Object.fromEntries(entries) as RoomState<R>;
}

export const room = signal<Room>(firstRoom);
export const state: { readonly [R in Room]: RoomState<R> } = {
  roformer: signalsOf("roformer"),
  rotate: signalsOf("rotate"),
  frequencies: signalsOf("frequencies"),
  distance: signalsOf("distance"),
};
/** What of the last link could not be used, in words. */
export const notes = signal<readonly string[]>([]);

function fieldsOf(name: Room): Array<[name: string, field: Field<unknown>, value: Signal<unknown>]> {
  const values = state[name] as unknown as Record<string, Signal<unknown>>;
  return Object.entries<Field<unknown>>(table[name]).map(([key, field]) => [key, field, values[key]!]);
}

/** `#room?field=value&...`; the text after `#`. */
export function readAddress(hash: string): void {
  const [name = "", query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const found = rooms.find((candidate) => candidate === name);
  room.value = found ?? firstRoom;
  if (!found) {
    notes.value = [];
    return;
  }
  const given = new URLSearchParams(query);
  const told: string[] = [];
  for (const [key, field, value] of fieldsOf(found)) {
    const raw = given.get(key);
    const parsed = raw === null ? undefined : field.parse(raw);
    if (raw !== null && parsed === undefined) {
      told.push(
        `The link’s ${key} “${raw.slice(0, 24)}” is not allowed (${field.allowed}); it shows ${field.format(field.fallback)}.`,
      );
    }
    value.value = parsed === undefined ? field.fallback : parsed;
  }
  notes.value = told;
}

export function writeAddress(name: Room): string {
  const query = new URLSearchParams();
  for (const [key, field, value] of fieldsOf(name)) {
    const written = field.format(value.value);
    if (written !== field.format(field.fallback)) query.set(key, written);
  }
  const written = query.toString();
  return `#${name}${written && `?${written}`}`;
}

/** Keeps state and address alike, both ways. Browsers limit how often an address may be replaced: it follows slowly. */
export function followAddress(): void {
  let pending: ReturnType<typeof setTimeout> | undefined;
  let bare = location.hash === "";
  const read = () => batch(() => readAddress(location.hash));
  read();
  addEventListener("hashchange", () => {
    clearTimeout(pending);
    if (location.hash !== writeAddress(room.peek())) read();
  });
  effect(() => {
    const address = writeAddress(room.value);
    // An address that nobody has touched stays clean.
    if (bare && address === `#${firstRoom}`) return;
    bare = false;
    clearTimeout(pending);
    const before = location.hash;
    if (before === address) return;
    pending = setTimeout(() => {
      // Another address meanwhile: the visitor went there, and its hashchange is on the way.
      if (location.hash === before) history.replaceState(null, "", address);
    }, 300);
  });
}
