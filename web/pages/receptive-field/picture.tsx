import { PictureMaps } from "./picture-maps.js";
import { PicturePairs } from "./picture-pairs.js";
import { PictureSettings } from "./picture-settings.js";

/** The view of the page for pictures, whose patches have a row and a column. */
export function Picture() {
  return (
    <>
      <PictureMaps />
      <PictureSettings />
      <PicturePairs />
    </>
  );
}
