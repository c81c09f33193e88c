/** One tool as a model is offered it. */
export interface BoundTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly schema: unknown;
}

/** A tool with what is known of it before it is loaded: what any model is told, and how people ask for it. */
export interface CatalogTool {
  readonly name: string;
  readonly describe: string;
  readonly hints: readonly string[];
  /** JSON Schema of the arguments. Properties may carry `entity` (the kind of thing that fills it) and `ask` (a question). */
  readonly schema: unknown;
  /** Whether it changes nothing, whatever its arguments; unknown when left out. */
  readonly isRead?: boolean;
  /** The change that these arguments would make, as an order; null when there is no such sentence. */
  readonly orderOf?: (args: Readonly<Record<string, unknown>>) => string | null;
  /** The least role that may call it; everybody when left out. */
  readonly role?: string;
}

export interface CatalogGroup {
  readonly name: string;
  readonly summary: string;
  /** False for groups that the product knows of but that are not installed: they are named as such. */
  readonly installed: boolean;
  readonly tools: readonly CatalogTool[];
}

/** Everything that a person could ask for, whether or not it is loaded now. */
export interface ToolCatalog {
  readonly groups: readonly CatalogGroup[];
}

/** What is so when a model is asked, as data; the system message tells the same in words. */
export interface RequestFacts {
  readonly activeGroups: readonly string[];
  /** Known names by entity kind, such as `project` → ['shop', 'blog']. */
  readonly known: Readonly<Record<string, readonly string[]>>;
  /** The project that this conversation is about, if it is known. */
  readonly currentProject: string | null;
}
