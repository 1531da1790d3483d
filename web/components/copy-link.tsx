import { room, writeAddress } from "../state/address.js";
import { CopyButton } from "./copy.js";

/** The address of the room as it is now: the bar above follows a moment later. */
export function CopyLink() {
  return <CopyButton label="Copy link" text={() => new URL(writeAddress(room.value), location.href).href} />;
}
