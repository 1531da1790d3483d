import { shownPage, writeAddress } from "../state/address.js";
import { CopyButton } from "./copy.js";

/** The address of the page as it is now: the bar above follows a moment later. */
export function CopyLink() {
  return <CopyButton label="Copy link" text={() => new URL(writeAddress(shownPage.value), document.baseURI).href} />;
}
