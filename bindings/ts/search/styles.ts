/** Colours are those of the system, so that light and dark follow the page's `color-scheme`. */
export const STYLES = `
:host {
  display: block;
  position: relative;
  max-width: 40rem;
  --line: color-mix(in srgb, CanvasText 55%, Canvas);
}
:host([hidden]), [hidden] {
  display: none !important;
}
* {
  box-sizing: border-box;
}
input, button {
  font: inherit;
  color: CanvasText;
  background: Canvas;
  border: 1px solid var(--line);
  border-radius: 0.375rem;
}
input {
  width: 100%;
  min-height: 2.75rem;
  padding: 0.5rem 0.75rem;
  /* Below 16 pixels a phone zooms into the page. */
  font-size: max(1em, 16px);
}
button {
  min-height: 2rem;
  padding: 0.125rem 0.75rem;
  cursor: pointer;
}
:is(input, button):focus-visible {
  outline: 2px solid CanvasText;
  outline-offset: 1px;
}
.panel {
  position: absolute;
  z-index: 10;
  inset-inline: 0;
  margin-top: 0.25rem;
  display: flex;
  flex-direction: column;
  max-height: min(70vh, 32rem);
  color: CanvasText;
  background: Canvas;
  border: 1px solid var(--line);
  border-radius: 0.375rem;
  text-align: start;
}
/* The list scrolls, and the line above it with its button stays. */
[role="listbox"] {
  overflow-y: auto;
}
[role="listbox"], a + a {
  border-top: 1px solid color-mix(in srgb, CanvasText 15%, Canvas);
}
.row {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.25rem 0.75rem;
  padding: 0.5rem 0.75rem;
}
.row p {
  flex: 1 1 12rem;
  margin: 0;
  overflow-wrap: anywhere;
}
progress {
  flex: 1 1 6rem;
}
a {
  display: block;
  padding: 0.5rem 0.75rem;
  color: inherit;
  text-decoration: none;
  overflow-wrap: anywhere;
}
a:hover, a[aria-selected="true"] {
  background: color-mix(in srgb, CanvasText 10%, Canvas);
}
a[aria-selected="true"] {
  outline: 2px solid CanvasText;
  outline-offset: -2px;
}
a span {
  display: block;
}
.title {
  font-weight: 600;
}
.text {
  font-size: 0.875em;
}
mark {
  color: inherit;
  background: none;
  font-weight: 700;
  text-decoration: underline;
}
.told {
  position: absolute;
  width: 1px;
  height: 1px;
  margin: 0;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
`;
