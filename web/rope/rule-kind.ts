/** One parameter of a rule. */
export interface Parameter {
  readonly name: string;
  readonly label: string;
  readonly says: string;
  readonly kind: "number" | "list" | "switch";
  /** What it has when the rule is first chosen; undefined: left to the library, which has a default. */
  readonly first?: number;
  /** What the library takes when nothing is given. */
  readonly otherwise?: string;
}

export interface RuleKind {
  readonly label: string;
  readonly says: string;
  /** The struct of C++. */
  readonly structure: string;
  readonly parameters: readonly Parameter[];
}
