/** A page of the tab Models: a look at a text and a model. */
export type Look = "roformer" | "generate" | "search" | "proteins";

/** Where a model comes from: the address of a folder of this site, the visitor, or a hub. */
export type Source =
  | { readonly shipped: string }
  | { readonly files: readonly File[]; readonly name?: string }
  | {
      readonly repository: string;
      /** The revision that has model.safetensors; without it, that of the other files. */
      readonly weightsAt?: string;
    };

/** The name of a model that is none of this site's. */
export function nameOf(source: Exclude<Source, { shipped: string }>): string {
  if ("repository" in source) return source.repository;
  const gguf = source.files.find(({ name }) => /\.gguf$/i.test(name));
  return source.name || gguf?.name || source.files[0]?.webkitRelativePath.split("/")[0] || "your model";
}
