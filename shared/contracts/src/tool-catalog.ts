export interface BoundTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the tool's arguments. */
  readonly schema: unknown;
}

/** A tool of the catalog, described without loading the tool: its description for the model, and phrases with which people ask for it. */
export interface CatalogTool {
  readonly name: string;
  readonly describe: string;
  readonly hints: readonly string[];
  /** JSON Schema of the arguments. Properties may have `entity` (the kind they name) and `ask` (a question for the person). */
  readonly schema: unknown;
  /** True when the tool never changes anything; missing when that depends on its arguments. */
  readonly isRead?: boolean;
  /** Returns the change as an imperative sentence; null when there is no change. */
  readonly orderOf?: (args: Readonly<Record<string, unknown>>) => string | null;
  /** The least role that may call the tool; missing when everybody may. */
  readonly role?: string;
}

export interface CatalogGroup {
  readonly name: string;
  readonly summary: string;
  /** False when the group is known but not installed. */
  readonly installed: boolean;
  readonly tools: readonly CatalogTool[];
}

/** All tools that a person could ask for, loaded or not. */
export interface ToolCatalog {
  readonly groups: readonly CatalogGroup[];
}

/** Facts of a model request as data; the system message contains the same facts as text. */
export interface ModelRequestFacts {
  readonly activeGroups: readonly string[];
  /** Known names by entity kind, such as `project` → ['shop', 'blog']. */
  readonly known: Readonly<Record<string, readonly string[]>>;
  /** The conversation's current project; null when unknown. */
  readonly currentProject: string | null;
}
