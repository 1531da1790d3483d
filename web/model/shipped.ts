/** The RoFormer of this site. */
export const shippedFolder = new URL("model/", document.baseURI).href;
