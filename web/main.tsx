import { effect } from "@preact/signals";
import { type ComponentType, render } from "preact";
import { CopyLink } from "./components/copy-link.js";
import { DropFiles } from "./components/drop-files.js";
import { Notes } from "./components/notes.js";
import { followTerms } from "./components/terms.js";
import { ThemeSwitch } from "./components/theme-switch.js";
import { UpdateNotice } from "./components/update-notice.js";
import { keepForOffline } from "./offline/register.js";
import { former, groupOf, pageNames } from "./pages/index.js";
import { followAddress, type PageState, shownPage, writeAddress } from "./state/address.js";
import { readElsewhere } from "./state/dropped.js";

function slot(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no element #${id}`);
  return found;
}

// The document of one page keeps the others' text aside, from those who have no script.
for (const { content } of document.querySelectorAll<HTMLTemplateElement>("#other-pages"))
  slot("main-content").append(content);

const states = import.meta.glob<PageState>("./pages/*/state.ts", { eager: true });
/** The code of a page loads when the page is first shown. */
const panels = import.meta.glob<{ default: ComponentType }>("./pages/*/panel.tsx");

followAddress(new Map(pageNames.map((name) => [name, states[`./pages/${name}/state.ts`]!])), former);
/** Pages that take what is dropped on them. */
const takesModels: readonly string[] = ["roformer", "generate", "search", "proteins"];

render(<ThemeSwitch />, slot("theme-slot"));
render(<CopyLink />, slot("link-slot"));
render(
  <>
    <Notes />
    <UpdateNotice />
    <DropFiles pages={pageNames.filter((name) => !takesModels.includes(name))} take={readElsewhere}>
      Drop a config.json or a .gguf file to see what its rope does
    </DropFiles>
  </>,
  slot("notes-slot"),
);
followTerms();
if (import.meta.env.PROD) keepForOffline();

// A tab leads to its page as the visitor left it.
effect(() => {
  for (const name of pageNames) slot(`${name}-tab`).setAttribute("href", writeAddress(name));
});

/** The tab with several pages that a page belongs to. */
function tabOf(name: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-group="${groupOf(name)}"]`);
}

// The tab of several pages leads to the one that was seen last; Docs leads to the documentation.
const lastSeen = new Map<HTMLElement, string>();
effect(() => {
  const tab = tabOf(shownPage.value);
  if (tab && tab.dataset.group !== "Docs") lastSeen.set(tab, shownPage.value);
  for (const [each, name] of lastSeen) each.setAttribute("href", writeAddress(name));
});

// A visitor who has chosen an example wants to see it, also where it lies on the page that is shown.
slot("gallery").addEventListener("click", (event) => {
  if (event.target instanceof HTMLAnchorElement) {
    slot("gallery").removeAttribute("open");
    slot("menu").hidePopover();
  }
});

/** Scrolls the row of the tab's pages, and nothing else, until the current one is in its middle. */
function bringIntoRow(): void {
  const tab = slot(`${shownPage.peek()}-tab`);
  const row = tab.parentElement!;
  row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
}
addEventListener("resize", bringIntoRow);

// The step of a guide that the page shows is marked, however the page came to show it.
effect(() => {
  const name = shownPage.value;
  const address = writeAddress(name);
  for (const step of document.querySelectorAll(`#${name}-page .guide-step`)) {
    if (step.getAttribute("href") === address) step.setAttribute("aria-current", "step");
    else step.removeAttribute("aria-current");
  }
});

/** Draws a page once its code is there; until then its slot keeps the height. */
async function draw(name: string): Promise<void> {
  const place = slot(`${name}-slot`);
  try {
    const { default: Panel } = await panels[`./pages/${name}/panel.tsx`]!();
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
      <p>This page could not be loaded: {message}</p>
      <button type="button" onClick={() => location.reload()}>
        Reload the page
      </button>
    </div>
  );
}

/** boot.js made it; its one rule hides every page but one. */
const onlyShown = document.adoptedStyleSheets[0];
const shown = new Set<string>();
let left: string | undefined;
effect(() => {
  const name = shownPage.value;
  // Another page begins at its top.
  if (left !== undefined && left !== name) {
    scrollTo(0, 0);
    slot("gallery").removeAttribute("open");
  }
  left = name;
  onlyShown?.replaceSync(
    `.page:not(#${name}-page), .views:not(:has(#${name}-tab)) { display: none; } .gallery section:has([href^="./${name}/"]) { order: 0; }`,
  );
  document.title = `${slot(`${name}-title`).textContent} · Ropewalk`;
  for (const other of pageNames) {
    if (other === name) slot(`${other}-tab`).setAttribute("aria-current", "page");
    else slot(`${other}-tab`).removeAttribute("aria-current");
  }
  for (const tab of document.querySelectorAll("[data-group]")) tab.removeAttribute("aria-current");
  tabOf(name)?.setAttribute("aria-current", "true");
  bringIntoRow();
  if (shown.has(name)) return;
  shown.add(name);
  void draw(name);
});
