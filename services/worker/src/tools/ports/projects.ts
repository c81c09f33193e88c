export interface Project {
  readonly name: string;
  readonly description: string;
  readonly repository: string | null;
  readonly status: 'intended' | 'active' | 'archived';
  /** Key of the person who created it, and the name that people know them by. */
  readonly owner: string;
  readonly ownerName: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Grows by one with each change. */
  readonly version: number;
}

export interface ProjectChange {
  readonly description?: string;
  readonly repository?: string;
  readonly status?: Project['status'];
}

/** A run that names the project in its payload and has not ended. */
export interface OpenRun {
  readonly runId: string;
  readonly job: string;
  readonly status: 'queued' | 'running';
  readonly createdAt: Date;
}

/** The projects that people talk about. Names are unique and never reused for something else while the project exists. */
export interface Projects {
  /** All of them, the most recently changed first. */
  list(): Promise<readonly Project[]>;
  /** Null when there is none of that name. */
  find(name: string): Promise<Project | null>;
  /** Throws NOT_FOUND, which names the projects that exist. */
  get(name: string): Promise<Project>;
  /** The oldest first, at most 20. */
  openRuns(name: string): Promise<readonly OpenRun[]>;
  /** Idempotent by action id. Throws ALREADY_EXISTS when another action made a project of that name. */
  create(project: Pick<Project, 'name' | 'description' | 'repository' | 'owner'>, actionId: string): Promise<Project>;
  /** Idempotent by action id. Only the given fields change; changes are made one at a time. Throws NOT_FOUND. */
  update(name: string, change: ProjectChange, actionId: string): Promise<Project>;
}
