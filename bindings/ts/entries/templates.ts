/** Every entry loads this file when a decoder comes with a chat template. */
export { compile } from "../model/chat/jinja/template.js";
