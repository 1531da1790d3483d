/** Every entry loads this file with the first long text. */
export { beginningsOf } from "../model/text/beginnings.js";
