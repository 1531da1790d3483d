/** The name that a file has within its model. */
export const nameIn = ({ name, webkitRelativePath }: File): string =>
  webkitRelativePath.split("/").slice(1).join("/") || name;
