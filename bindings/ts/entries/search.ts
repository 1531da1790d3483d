/** ropewalk/search: defines the element `<ropewalk-search>`; importing it is all that a page does. */
import { searchElement } from "../search/element.js";

export type { RopewalkSearchEventMap, SearchHit } from "../search/element.js";

if (globalThis.customElements !== undefined && customElements.get("ropewalk-search") === undefined)
  customElements.define(
    "ropewalk-search",
    searchElement(() => import("./web.js")),
  );
