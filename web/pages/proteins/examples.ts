/** Small proteins whose folds are in every textbook, by their entries in the Protein Data Bank. */
export const proteins = [
  {
    name: "ubiquitin (1UBQ)",
    sequence: "MQIFVKTLTGKTITLEVEPSDTIENVKAKIQDKEGIPPDQQRLIFAGKQLEDGRTLSDYNIQKESTLHLVLRLRGG",
  },
  { name: "protein G, B1 (1PGA)", sequence: "MTYKLILNGKTLKGETTTEAVDAATAEKVFKQYANDNGVDGEWTYDDATKTFTVTE" },
  { name: "crambin (1CRN)", sequence: "TTCCPSIVARSNFNVCRLPGTPEALCATYTGCIIIPGATCPGDYAN" },
] as const;
