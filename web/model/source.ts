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

/** The looks that a model gives, by its `model_type`, beside the one that has opened it. */
export function givesOf(modelType: string, opened: Look): readonly Look[] {
  const looks: readonly Look[] =
    modelType === "roformer" ? ["roformer", "search"] : modelType === "esm" ? ["proteins"] : [];
  return [...new Set([...looks, opened])];
}

/** The name that a file has within its model. */
export const nameIn = ({ name, webkitRelativePath }: File): string =>
  webkitRelativePath.split("/").slice(1).join("/") || name;
