/** A page of the tab Models: a look at a text and a model. */
export type Look = "roformer" | "generate" | "search" | "proteins";

export const lookNames: Readonly<Record<Look, string>> = {
  roformer: "RoFormer",
  generate: "Generate",
  search: "Search",
  proteins: "Proteins",
};

/** Names of looks as a sentence lists them. */
export const listed = (looks: readonly Look[]): string => looks.map((look) => lookNames[look]).join(" and ");

/** Where a model comes from: the address of a folder of this site, the visitor, or a hub. */
export type Source =
  | { readonly shipped: string }
  | { readonly files: readonly File[]; readonly name?: string }
  | {
      readonly repository: string;
      /** The revision that has model.safetensors; without it, that of the other files. */
      readonly weightsAt?: string;
    };

/** The name that a file has within its model. */
export const nameIn = ({ name, webkitRelativePath }: File): string =>
  webkitRelativePath.split("/").slice(1).join("/") || name;

/** The name of a model that is none of this site's. */
export function nameOf(source: Exclude<Source, { shipped: string }>): string {
  if ("repository" in source) return source.repository;
  const gguf = source.files.find(({ name }) => /\.gguf$/i.test(name));
  return source.name || gguf?.name || source.files[0]?.webkitRelativePath.split("/")[0] || "your model";
}
