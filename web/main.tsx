import { effect } from "@preact/signals";
import { render } from "preact";
import { CopyLink } from "./components/copy-link.js";
import { Notes } from "./components/notes.js";
import { ThemeSwitch } from "./components/theme-switch.js";
import { UpdateNotice } from "./components/update-notice.js";
import { keepForOffline } from "./offline/register.js";
import { type Room, roomNames } from "./pages/index.js";
import { panels } from "./pages/panels.js";
import { followAddress, room, writeAddress } from "./state/address.js";

function slot(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no element #${id}`);
  return found;
}

followAddress();
render(<ThemeSwitch />, slot("theme-slot"));
render(<CopyLink />, slot("link-slot"));
render(
  <>
    <Notes />
    <UpdateNotice />
  </>,
  slot("notes-slot"),
);
if (import.meta.env.PROD) keepForOffline();

// A tab leads to its room as the visitor left it.
effect(() => {
  for (const name of roomNames) slot(`${name}-tab`).setAttribute("href", writeAddress(name));
});

// Whoever has chosen an example wants to see it.
slot("gallery").addEventListener("click", (event) => {
  if (event.target instanceof HTMLAnchorElement) slot("gallery").removeAttribute("open");
});

/** Draws the room's panel once its code is there; until then the slot keeps the room's height. */
async function draw(name: Room): Promise<void> {
  const place = slot(`${name}-slot`);
  try {
    const Panel = await panels[name]();
    place.replaceChildren();
    render(<Panel />, place);
  } catch (error) {
    render(<Failure message={String(error)} />, place);
  }
}

/** Browsers may remember that a module could not be had: only a new page asks again. The address restores its state. */
function Failure({ message }: { message: string }) {
  return (
    <div class="failure" role="alert">
      <p>This room could not be loaded: {message}</p>
      <button type="button" onClick={() => location.reload()}>
        Reload the page
      </button>
    </div>
  );
}

/** boot.js made it, with the first room's rule in it. */
const onlyRoom = document.adoptedStyleSheets[0];
const shown = new Set<Room>();
effect(() => {
  const name = room.value;
  onlyRoom?.replaceSync(`.room:not(#${name}-room) { display: none; }`);
  document.title = `${slot(`${name}-tab`).textContent} · Ropewalk`;
  for (const other of roomNames) {
    if (other === name) slot(`${other}-tab`).setAttribute("aria-current", "page");
    else slot(`${other}-tab`).removeAttribute("aria-current");
  }
  if (shown.has(name)) return;
  shown.add(name);
  void draw(name);
});
