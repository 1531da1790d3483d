/** The part of the package that is loaded with the first model that has a chat template. */
export { Chat } from "./chat/chat.js";
