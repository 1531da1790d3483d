import { effect } from "@preact/signals";
import { type ComponentType, render } from "preact";
import { CopyLink } from "./components/copy-link.js";
import { Notes } from "./components/notes.js";
import { ThemeSwitch } from "./components/theme-switch.js";
import { DistanceRoom } from "./panels/distance.js";
import { FrequenciesRoom } from "./panels/frequencies.js";
import { RoFormerRoom } from "./panels/roformer.js";
import { Rotate } from "./panels/rotate.js";
import { followAddress, type Room, room, rooms, writeAddress } from "./state.js";

/** A room is its prose in index.html, its fields in state.ts, and its panel here. */
const panels: Record<Room, ComponentType> = {
  roformer: RoFormerRoom,
  rotate: Rotate,
  frequencies: FrequenciesRoom,
  distance: DistanceRoom,
};

function slot(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no element #${id}`);
  return found;
}

followAddress();
render(<ThemeSwitch />, slot("theme-slot"));
render(<CopyLink />, slot("link-slot"));
render(<Notes />, slot("notes-slot"));

// A tab leads to its room as the visitor left it.
effect(() => {
  for (const name of rooms) slot(`${name}-tab`).setAttribute("href", writeAddress(name));
});

const shown = new Set<Room>();
effect(() => {
  const name = room.value;
  document.documentElement.dataset.room = name;
  document.title = `${slot(`${name}-tab`).textContent} · Ropewalk`;
  for (const other of rooms) {
    if (other === name) slot(`${other}-tab`).setAttribute("aria-current", "page");
    else slot(`${other}-tab`).removeAttribute("aria-current");
  }
  if (shown.has(name)) return;
  shown.add(name);
  const Panel = panels[name];
  const place = slot(`${name}-slot`);
  // What stands there reserves the room's height until the panel is drawn.
  place.replaceChildren();
  render(<Panel />, place);
});
