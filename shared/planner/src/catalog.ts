/** What the offline planner knows of a tool: what any model is told, and how people ask for it. */
export interface PlannerTool {
  readonly name: string;
  readonly describe: string;
  readonly hints: readonly string[];
  /** JSON Schema of the arguments. Properties may carry `entity` (the kind of thing that fills it) and `ask` (a question). */
  readonly schema: unknown;
  /** The least role that may call it; everybody when left out. */
  readonly role?: string;
}

export interface PlannerGroup {
  readonly name: string;
  readonly summary: string;
  /** False for groups that the product knows of but that are not installed: the planner names them as such. */
  readonly installed: boolean;
  readonly tools: readonly PlannerTool[];
}

/** Everything that could be asked for, whether or not it is loaded now. */
export interface PlannerCatalog {
  readonly groups: readonly PlannerGroup[];
}

/**
 * Facts of the moment, which the agent puts into `additional_kwargs.planner` of the system message;
 * other models read the same facts in the message's text.
 */
export interface PlannerFacts {
  readonly activeGroups: readonly string[];
  /** Known names by entity kind, such as `project` → ['shop', 'blog']. */
  readonly known: Readonly<Record<string, readonly string[]>>;
  /** The project that this conversation is about, if it is known. */
  readonly currentProject: string | null;
}
