/** `<ropewalk-search>`: a search field for a static site, after the combobox pattern of ARIA's authoring practices. */
import { type Progress, sizeOf, sizeText } from "./download.js";
import { Finder, type Found, folderOf, isHub, type Package } from "./finder.js";
import { excerpt } from "./passages.js";
import { STYLES } from "./styles.js";

/** A part of a page, as the events of the element give it. */
export interface SearchHit {
  /** Absolute. */
  address: string;
  /** Titles of the page and of the section. */
  title: string;
  text: string;
}

type Part = "index" | "model" | "search";

export interface RopewalkSearchEventMap {
  /** Hits are shown. */
  "ropewalk-results": CustomEvent<{ query: string; hits: readonly SearchHit[] }>;
  /** A visitor chose a hit; `preventDefault()` keeps the page from following its link. */
  "ropewalk-choose": CustomEvent<SearchHit>;
  /**
   * An index or a model could not be loaded, or a search failed. The visitor reads one plain sentence;
   * `preventDefault()` keeps the error out of the console.
   */
  "ropewalk-error": CustomEvent<{ error: unknown; part: Part }>;
}

const DEFAULT_LIMIT = 8;

const make = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...inside: (Node | string)[]
): HTMLElementTagNameMap[K] => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...inside);
  return element;
};

const UNAVAILABLE = " is not available at the moment.";
const WORDS_ALONE = " Results are by words alone.";
const FAILED: Readonly<Record<Part, string>> = {
  index: `The search${UNAVAILABLE}`,
  model: `Search by meaning${UNAVAILABLE}${WORDS_ALONE}`,
  search: "This search failed. Please try other words.",
};

// In Node, where a page may be made that imports this file, there are no elements.
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/** The class of the element, on the entry that it loads for a model. */
export function searchElement(open: () => Promise<Package>): CustomElementConstructor {
  return class RopewalkSearch extends Base {
    static observedAttributes = ["placeholder", "label", "index", "model"];

    readonly #input = make("input", {
      type: "search",
      part: "input",
      role: "combobox",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      enterkeyhint: "search",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": "list",
    });
    /** No place for the Tab key, which browsers otherwise make of what scrolls. */
    readonly #list = make("div", {
      id: "list",
      part: "list",
      role: "listbox",
      tabindex: "-1",
      "aria-label": "Results",
    });
    /** The line that is seen, and the one that a screen reader says: steps of a download would be too much to hear. */
    readonly #status = make("p", { part: "status", "aria-hidden": "true" });
    readonly #told = make("p", { class: "told", role: "status" });
    readonly #progress = make("progress", { part: "progress", "aria-label": "Download" });
    readonly #button = make("button", { type: "button", part: "button" });
    readonly #row = make("div", { class: "row" }, this.#status, this.#progress, this.#button);
    readonly #panel = make("div", { class: "panel", part: "panel" }, this.#row, this.#list);
    #finder: Promise<Finder> | undefined;
    #modelWanted = true;
    /** Ends the downloads, and the search for the last letter. */
    #download = new AbortController();
    #search = new AbortController();
    #hits: readonly SearchHit[] = [];
    #active = -1;
    #announced = false;

    constructor() {
      super();
      const root = this.attachShadow({ mode: "open", delegatesFocus: true });
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(STYLES);
      // The policy of a site may forbid style elements, but not these.
      root.adoptedStyleSheets = [sheet];
      root.append(this.#input, this.#told, this.#panel);
      this.#panel.hidden = true;
      this.#idle();
      this.#input.addEventListener("focus", () => {
        // A query that the visitor wrote before another page is searched again.
        if (this.#finder === undefined && this.#input.value.trim() !== "") void this.#find();
        else void this.#announce();
      });
      this.#input.addEventListener("input", () => void this.#find());
      this.#input.addEventListener("change", () => this.#keep());
      this.#input.addEventListener("keydown", (event) => this.#key(event));
      this.#list.addEventListener("click", (event) => this.#chosen(event));
      // Without this, pressing the button of the mouse would take the focus out of the field.
      this.#list.addEventListener("mousedown", (event) => event.preventDefault());
      this.addEventListener("focusout", ({ relatedTarget }) => {
        if (!this.contains(relatedTarget as Node | null) && !root.contains(relatedTarget as Node | null))
          this.#show(false);
      });
      this.addEventListener("focusin", () => this.#show(this.#input.value.trim() !== ""));
    }

    attributeChangedCallback(name: string): void {
      if (name === "placeholder") this.#input.placeholder = this.getAttribute(name) ?? "";
      else if (name === "label" || !this.#input.hasAttribute("aria-label"))
        this.#input.setAttribute("aria-label", this.getAttribute("label") ?? "Search");
      if (name === "index" || name === "model") this.#forget();
    }

    connectedCallback(): void {
      this.attributeChangedCallback("label");
      const kept: unknown = history.state?.[this.#kept];
      if (typeof kept === "string") this.#input.value ||= kept;
    }

    disconnectedCallback(): void {
      this.#forget();
    }

    /** Ends downloads, and drops what was loaded: the next letter loads again. */
    #forget(): void {
      this.#download.abort();
      this.#search.abort();
      this.#download = new AbortController();
      this.#finder?.then((finder) => finder.dispose()).catch(() => {});
      this.#finder = undefined;
      this.#modelWanted = true;
      this.#announced = false;
    }

    get #model(): string {
      return this.getAttribute("model") ?? "";
    }

    get #index(): URL {
      return new URL(this.getAttribute("index") ?? "search.index", this.baseURI);
    }

    get #kept(): string {
      return `ropewalk-search ${this.id}`.trim();
    }

    /** Browsers bring back what was written in a field of their own when a visitor comes back to a page, but not in this. */
    #keep(): void {
      const state: unknown = history.state ?? {};
      if (typeof state === "object") history.replaceState({ ...state, [this.#kept]: this.#input.value }, "");
    }

    #fire<K extends keyof RopewalkSearchEventMap>(name: K, detail: RopewalkSearchEventMap[K]["detail"]): boolean {
      return this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }));
    }

    #show(shown: boolean): void {
      this.#panel.hidden = !shown;
      this.#input.setAttribute("aria-expanded", String(shown && this.#hits.length > 0));
      if (!shown) this.#choose(-1);
    }

    /** Shows a sentence, and lets a screen reader say it. */
    #say(text: string): void {
      this.#status.textContent = text;
      this.#told.textContent = text;
    }

    #idle(): void {
      this.#progress.hidden = true;
      this.#button.hidden = true;
    }

    #offer(text: string, act: () => void): void {
      this.#button.textContent = text;
      this.#button.onclick = act;
      this.#button.hidden = false;
    }

    /** Before the first letter: what it will download. */
    async #announce(): Promise<void> {
      if (this.#announced || this.#finder !== undefined) return;
      this.#announced = true;
      const model = this.#model;
      const weights =
        model === "" || isHub(model) ? undefined : new URL("model.safetensors", folderOf(model, this.baseURI));
      const [index, weight] = await Promise.all([sizeOf(this.#index), weights && sizeOf(weights)]);
      if (this.#finder !== undefined) return;
      // A visitor who only passed the field is told at the next visit.
      if (!this.matches(":focus-within")) {
        this.#announced = false;
        return;
      }
      const sized = (name: string, size: number | undefined) =>
        size === undefined ? name : `${name} of ${sizeText(size)}`;
      const parts = [sized("an index", index)];
      if (model !== "") parts.push(isHub(model) ? "a model from huggingface.co" : sized("a model", weight));
      this.#say(`The first letter downloads ${parts.join(" and ")}.`);
      this.#show(true);
    }

    #watch(name: string, cancel: () => void): Progress {
      this.#say(`Downloading ${name}`);
      this.#progress.hidden = false;
      this.#progress.removeAttribute("value");
      this.#offer("Cancel", () => {
        this.#input.focus();
        cancel();
      });
      let heard = false;
      return (loaded, total) => {
        if (total !== undefined) [this.#progress.max, this.#progress.value] = [total, loaded];
        const of = total === undefined ? "" : ` of ${sizeText(total)}`;
        this.#status.textContent = `Downloading ${name}: ${sizeText(loaded)}${of}`;
        if (heard || total === undefined) return;
        heard = true;
        this.#told.textContent = `Downloading ${name}${of}`;
      };
    }

    #open(): Promise<Finder> {
      const download = this.#download;
      this.#finder ??= Finder.fetch(
        this.#index,
        download.signal,
        this.#watch("the index", () => download.abort()),
      ).finally(() => this.#idle());
      return this.#finder;
    }

    /** One sentence for the visitor; the error is for those who made the page. */
    #report(part: Part, error: unknown): void {
      this.#say(FAILED[part]);
      if (this.#fire("ropewalk-error", { error, part })) console.error(`<ropewalk-search>: ${part}:`, error);
    }

    #failed(part: "index" | "model", error: unknown): void {
      this.#idle();
      const then = part === "model" ? WORDS_ALONE : "";
      if (error instanceof DOMException && error.name === "AbortError") this.#say(`The download was cancelled.${then}`);
      else this.#report(part, error);
      this.#offer(part === "model" ? "Search by meaning" : "Try again", () => {
        this.#input.focus();
        this.#download = new AbortController();
        if (part === "model") this.#modelWanted = true;
        void this.#find();
      });
    }

    /** `shown` false: the list stays closed, where a visitor has left it meanwhile. */
    async #find(shown = true): Promise<void> {
      this.#search.abort();
      const search = new AbortController();
      this.#search = search;
      const query = this.#input.value.trim();
      if (query === "") {
        this.#fill(query, []);
        this.#show(false);
        return;
      }
      if (shown) this.#show(true);
      const { signal } = this.#download;
      let finder: Finder;
      try {
        finder = await this.#open();
      } catch (error) {
        this.#finder = undefined;
        if (signal === this.#download.signal) {
          this.#download = new AbortController();
          this.#fill(query, []);
          this.#failed("index", error);
        }
        return;
      }
      await this.#answer(finder, query, search.signal);
      if (this.#model !== "" && this.#modelWanted && finder.hasVectors && !finder.hasModel)
        await this.#loadModel(finder);
    }

    async #loadModel(finder: Finder): Promise<void> {
      this.#modelWanted = false;
      const download = this.#download;
      const onProgress = this.#watch("a model, to search by meaning", () => download.abort());
      try {
        await finder.loadModel(await open(), this.#model, this.baseURI, { signal: download.signal, onProgress });
      } catch (error) {
        if (download === this.#download) this.#failed("model", error);
        return;
      }
      // The element may have been taken out of the page meanwhile.
      if (download !== this.#download) return finder.dispose();
      this.#idle();
      await this.#find(!this.#panel.hidden);
    }

    async #answer(finder: Finder, query: string, signal: AbortSignal): Promise<void> {
      const given = Number(this.getAttribute("limit"));
      const limit = Number.isInteger(given) && given > 0 ? given : DEFAULT_LIMIT;
      try {
        const { found, total } = await finder.find(query, limit, signal);
        if (!signal.aborted) this.#fill(query, found, total, finder.hasModel);
      } catch (error) {
        if (!signal.aborted) this.#report("search", error);
      }
    }

    #fill(query: string, found: readonly Found[], total = found.length, byMeaning = false): void {
      const base = this.#index;
      // An index may come from elsewhere: an address of it must lead to a page and run nothing.
      const hits = found.flatMap(({ passage: { address, title, text }, words }) => {
        const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
        return url !== undefined && /^(https?|file):$/.test(url.protocol)
          ? [{ address: url.href, title, text, words }]
          : [];
      });
      this.#hits = hits.map(({ address, title, text }) => ({ address, title, text }));
      this.#list.replaceChildren(
        ...hits.map(({ address, title, text, words }, i) => {
          const pieces = excerpt(text, words).map((piece) => (piece.found ? make("mark", {}, piece.text) : piece.text));
          const attributes = { id: `hit-${i}`, part: "hit", role: "option", tabindex: "-1", "aria-selected": "false" };
          const name = make("span", { class: "title", part: "title" }, title || address);
          return make(
            "a",
            { ...attributes, href: address },
            name,
            make("span", { class: "text", part: "text" }, ...pieces),
          );
        }),
      );
      this.#list.hidden = hits.length === 0;
      this.#choose(-1);
      this.#input.setAttribute("aria-expanded", String(!this.#panel.hidden && hits.length > 0));
      if (query === "") {
        this.#say("");
        return;
      }
      // To a model everything is more or less near, so that a number of all would say nothing.
      const all = byMeaning ? "best results" : `of ${total} results`;
      const alone = hits.length === 1 ? "result" : "results";
      const count = `${hits.length || "No"} ${total > found.length ? all : alone}`;
      // A model finds something near to any letters at all.
      const near = hits.length > 0 && hits.every(({ words }) => words.length === 0) ? " by meaning" : "";
      const said = `${count}${near} for ${query}`;
      // Beside a download the line that is seen is about the download.
      if (this.#progress.hidden) this.#say(said);
      else this.#told.textContent = said;
      this.#fire("ropewalk-results", { query, hits: this.#hits });
    }

    #choose(active: number): void {
      this.#active = active;
      for (const [i, hit] of [...this.#list.children].entries()) {
        hit.setAttribute("aria-selected", String(i === active));
        if (i === active) hit.scrollIntoView({ block: "nearest" });
      }
      if (active < 0) this.#input.removeAttribute("aria-activedescendant");
      else this.#input.setAttribute("aria-activedescendant", `hit-${active}`);
    }

    #key(event: KeyboardEvent): void {
      const count = this.#hits.length;
      if (event.isComposing) return;
      if ((event.key === "ArrowDown" || event.key === "ArrowUp") && count > 0) {
        event.preventDefault();
        this.#show(true);
        // From the last one to none, where the text is, and on to the first.
        const step = event.key === "ArrowDown" ? 1 : -1;
        this.#choose(((this.#active + 1 + step + count + 1) % (count + 1)) - 1);
      } else if (event.key === "Enter" && count > 0 && !this.#panel.hidden) {
        event.preventDefault();
        (this.#list.children[Math.max(0, this.#active)] as HTMLAnchorElement).click();
      } else if (event.key === "Escape" && !this.#panel.hidden) {
        // The browser would empty the field at once: the next Escape does.
        event.preventDefault();
        this.#show(false);
      }
    }

    #chosen(event: MouseEvent): void {
      const hit = (event.target as Element).closest("a");
      if (hit === null) return;
      this.#keep();
      const detail = this.#hits[[...this.#list.children].indexOf(hit)]!;
      if (!this.#fire("ropewalk-choose", detail)) event.preventDefault();
      // The link may lead to another part of this page.
      this.#show(false);
    }
  };
}
