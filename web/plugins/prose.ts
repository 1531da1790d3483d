import { readFileSync } from "node:fs";
import type { Plugin } from "vite";
import { galleryItems } from "../pages/gallery.js";
import { type Room, roomNames, rooms } from "../pages/index.js";
import { withMaths } from "./maths.js";

const indent = (html: string, by: string) => html.trim().replaceAll("\n", `\n${by}`);

/** The title and the sentences of a room stand in the page itself: they are there before any script, and without. */
function section(room: Room, prose: string): string {
  return `<section class="room" id="${room}-room" aria-labelledby="${room}-title">
        <div class="prose">
          ${indent(withMaths(prose), "          ")}
        </div>
        <div class="slot" id="${room}-slot"></div>
      </section>`;
}

/** Puts the tabs, the gallery and the prose of every room (web/pages/<room>/prose.html) into index.html. */
export function roomProse(folder: string): Plugin {
  return {
    name: "room-prose",
    transformIndexHtml: {
      order: "pre",
      handler(html) {
        const tabs = roomNames.map((room) => `<a id="${room}-tab" href="#${room}">${rooms[room]}</a>`);
        const sections = roomNames.map((room) => section(room, readFileSync(`${folder}/${room}/prose.html`, "utf8")));
        return html
          .replace('data-rooms=""', () => `data-rooms="${roomNames.join(" ")}"`)
          .replace("<!-- tabs -->", () => tabs.join("\n          "))
          .replace("<!-- gallery -->", () => galleryItems().join("\n          "))
          .replace("<!-- rooms -->", () => sections.join("\n\n      "));
      },
    },
  };
}
