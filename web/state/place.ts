/** Where a page stands, seen from the root of the site: the first one of `names` is the root, each other has a folder. */
export const placeOf = (name: string, names: readonly string[]): string => (name === names[0] ? "./" : `./${name}/`);
