/** Sections of an HTML page: the text of `<main>`, or else of the whole page, without navigation and scripts. */
import { type IToken, tokenize } from "html5parser";
import { decoded, type Page, Sections } from "./page.js";

/** TokenKind of html5parser, which is declared as a const enum: a file that is compiled by itself cannot read that. */
const KIND = { openTag: 1, openTagEnd: 2, closeTag: 3, space: 4, equals: 5, single: 7, double: 8 };

/** Elements whose text nobody reads, or that stand in every page. */
const SKIPPED = new Set("script style template noscript nav svg iframe object select textarea".split(" "));
/** Elements that do not end a line. */
const INLINE = new Set(
  "a abbr b bdi bdo cite code data del dfn em font i ins kbd mark q s samp small span strong sub sup time u var wbr".split(
    " ",
  ),
);

type Event =
  | { kind: "open"; name: string; attributes: Map<string, string> }
  | { kind: "close"; name: string }
  | { kind: "text"; text: string };

const unquoted = ({ type, value }: IToken): string =>
  decoded(type === KIND.double || type === KIND.single ? value.slice(1, -1) : value);

/** Attributes of the tag whose tokens these are: a name, and behind "=" a value. */
function attributesOf(tokens: readonly IToken[]): Map<string, string> {
  const attributes = new Map<string, string>();
  tokens.forEach((token, i) => {
    if (token.type !== KIND.equals) return;
    const [name, value] = [tokens[i - 1], tokens[i + 1]];
    if (name !== undefined && value !== undefined) attributes.set(name.value.toLowerCase(), unquoted(value));
  });
  return attributes;
}

function* eventsOf(source: string): Generator<Event> {
  let tag: IToken | undefined;
  let inside: IToken[] = [];
  for (const token of tokenize(source)) {
    if (token.type === KIND.openTag) [tag, inside] = [token, []];
    else if (token.type === KIND.openTagEnd) {
      // Comments and doctypes are tags to the tokenizer.
      if (tag !== undefined && !tag.value.startsWith("!"))
        yield { kind: "open", name: tag.value.toLowerCase(), attributes: attributesOf(inside) };
      tag = undefined;
    } else if (tag !== undefined) {
      if (token.type !== KIND.space) inside.push(token);
    } else if (token.type === KIND.closeTag) yield { kind: "close", name: token.value.toLowerCase() };
    else yield { kind: "text", text: decoded(token.value) };
  }
}

/** Leaves out elements that are skipped, with all that is in them. */
function* shown(events: Iterable<Event>): Generator<Event> {
  let skipped: string | undefined;
  let depth = 0;
  for (const event of events) {
    if (skipped === undefined) {
      if (event.kind === "open" && SKIPPED.has(event.name)) [skipped, depth] = [event.name, 1];
      else yield event;
    } else if (event.kind !== "text" && event.name === skipped) {
      depth += event.kind === "open" ? 1 : -1;
      if (depth === 0) skipped = undefined;
    }
  }
}

const isHeading = (name: string): boolean => /^h[1-6]$/.test(name);
const spaced = (text: string): string => text.replace(/\s+/g, " ").trim();

export function readHtml(source: string): Page {
  const events = [...shown(eventsOf(source))];
  const hasMain = events.some((event) => event.kind === "open" && event.name === "main");
  const sections = new Sections();
  let title = "";
  let inTitle = false;
  let inMain = !hasMain;
  let heading: { text: string; anchor: string } | undefined;
  /** The id of the last element that was opened, before any text. */
  let id = "";
  const write = (text: string): void => {
    if (inTitle) title += text;
    else if (heading !== undefined) heading.text += text;
    else if (inMain) sections.add(text);
  };
  for (const event of events) {
    if (event.kind === "text") {
      write(event.text.replace(/\s+/g, " "));
      if (event.text.trim() !== "") id = "";
      continue;
    }
    const { name } = event;
    if (event.kind === "open") {
      const own = event.attributes.get("id") ?? (name === "a" ? event.attributes.get("name") : undefined);
      if (own !== undefined) id = own;
      if (heading !== undefined && heading.anchor === "") heading.anchor = own ?? "";
    }
    if (name === "title") inTitle = event.kind === "open";
    else if (name === "main") inMain = event.kind === "open";
    else if (isHeading(name) && event.kind === "open") heading = inMain ? { text: "", anchor: id } : undefined;
    else if (isHeading(name)) {
      // Some generators add a sign that leads to the heading itself.
      const text = spaced(heading?.text ?? "").replace(/\s*[#\u00b6\u00a7]$/, "");
      if (heading !== undefined && text !== "") sections.begin(text, heading.anchor);
      heading = undefined;
    } else if (!INLINE.has(name)) write(heading === undefined && !inTitle ? "\n" : " ");
  }
  sections.end();
  return { title: spaced(title) || sections.all[0]?.heading || "", sections: sections.all };
}
