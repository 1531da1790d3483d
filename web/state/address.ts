import { batch, effect, type Signal, signal } from "@preact/signals";
import { distanceFields } from "../pages/distance/fields.js";
import { encodingsFields } from "../pages/encodings/fields.js";
import { frequencyFields } from "../pages/frequencies/fields.js";
import { firstRoom, type Room, roomNames } from "../pages/index.js";
import { longContextFields } from "../pages/long-context/fields.js";
import { receptiveFieldFields } from "../pages/receptive-field/fields.js";
import { roformerFields } from "../pages/roformer/fields.js";
import { rotateFields } from "../pages/rotate/fields.js";
import { speedFields } from "../pages/speed/fields.js";
import { trainFields } from "../pages/train/fields.js";
import type { Field } from "./fields.js";

/**
 * Everything a link restores, room by room: `#rotate?m=12&n=3`. A field at its fallback is left out, an unknown field
 * is ignored, and a value that its field does not allow becomes the fallback and is told in `notes`.
 */
export const table = {
  roformer: roformerFields,
  rotate: rotateFields,
  frequencies: frequencyFields,
  distance: distanceFields,
  "receptive-field": receptiveFieldFields,
  encodings: encodingsFields,
  train: trainFields,
  "long-context": longContextFields,
  speed: speedFields,
} as const satisfies Record<Room, Record<string, Field<unknown>>>;

type Value<F> = F extends Field<infer T> ? T : never;
type RoomState<R extends Room> = { readonly [K in keyof (typeof table)[R]]: Signal<Value<(typeof table)[R][K]>> };

function signalsOf(room: Room): Record<string, Signal<unknown>> {
  const entries = Object.entries<Field<unknown>>(table[room]).map(([name, field]) => [name, signal(field.fallback)]);
  return Object.fromEntries(entries);
}

export const room = signal<Room>(firstRoom);
export const state = Object.fromEntries(roomNames.map((name) => [name, signalsOf(name)])) as {
  readonly [R in Room]: RoomState<R>;
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
  const found = roomNames.find((candidate) => candidate === name);
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
