export interface Project {
  readonly name: string;
  readonly description: string;
  readonly repository: string | null;
  readonly status: 'intended' | 'active' | 'archived';
  readonly owner: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Grows by one with each change; an update that names an older one is refused. */
  readonly version: number;
}

export interface ProjectChange {
  readonly description?: string;
  readonly repository?: string;
  readonly status?: Project['status'];
}

/** The projects that people talk about. Names are unique and never reused for something else while the project exists. */
export interface Projects {
  list(): Promise<readonly Project[]>;
  /** Null when there is none of that name. */
  find(name: string): Promise<Project | null>;
  /** Idempotent by action id. Throws ALREADY_EXISTS when another action made a project of that name. */
  create(project: Pick<Project, 'name' | 'description' | 'repository' | 'owner'>, actionId: string): Promise<Project>;
  /** Idempotent by action id; changes are serialized. Throws NOT_FOUND. */
  update(name: string, change: ProjectChange, actionId: string): Promise<Project>;
}
