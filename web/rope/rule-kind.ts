/** One parameter of a rule. */
export interface Parameter {
  readonly name: string;
  readonly label: string;
  readonly says: string;
  readonly kind: "number" | "list" | "switch";
  /** Its value when the rule is first chosen; undefined: left to the library, which has a default. */
  readonly first?: number;
  /** The library's value when none is given. */
  readonly otherwise?: string;
}

export interface RuleKind {
  readonly label: string;
  readonly says: string;
  /** The struct of C++. */
  readonly structure: string;
  readonly parameters: readonly Parameter[];
}
