/** Software of a code host that knows pull requests; `none` keeps changes on this machine. */
export type ForgeKind = 'github' | 'gitlab' | 'gitea' | 'none';

/** An approved commit that a branch is to hold. */
export interface BranchCommit {
  /** A bare mirror of ours with the commit. A folder that others may write is no mirror: git would obey its settings. */
  readonly mirror: string;
  readonly commit: string;
  /** The commit of the repository on which the change stands. */
  readonly base: string;
  readonly branch: string;
  /** The earlier commit that we published on this branch and may replace; null when the branch has to be new. */
  readonly replaces: string | null;
}

/** A request to take a branch over. Its texts come from `change-text.ts`. */
export interface ChangeRequest {
  readonly branch: string;
  /** The branch that takes the change over; null for the main branch. */
  readonly into: string | null;
  readonly title: string;
  readonly body: string;
}

/** Results of the checks of a change's newest commit. */
export interface ChangeChecks {
  readonly state: 'none' | 'pending' | 'passed' | 'failed';
  /** Names of failed checks, at most ten. */
  readonly failed: readonly string[];
}

/** A pull or merge request at a forge, or a branch that is kept here because there is no forge. */
export type Change =
  | {
      readonly kind: 'opened';
      readonly number: number;
      /** An address below the configured address of the forge. */
      readonly url: string;
      readonly state: 'open' | 'merged' | 'closed';
      /** Newest commit of the change. */
      readonly commit: string;
      /** False when the main branch has moved so that the change conflicts; null while the forge does not know. */
      readonly canMerge: boolean | null;
      readonly checks: ChangeChecks;
    }
  | {
      readonly kind: 'kept';
      /** Bare repository of the data folder. */
      readonly repository: string;
      readonly branch: string;
      readonly commit: string;
      /** File with the patch, for `git am`. */
      readonly patchFile: string;
    };

/** Where a project's approved changes go. Every method may be repeated after a kill: it leads to one branch and one change. */
export interface Forge {
  readonly kind: ForgeKind;
  /** Name for people: `GitHub`, `GitLab at git.corp`. */
  readonly name: string;
  /**
   * Makes the branch hold the commit; publishing the same commit again changes nothing. Never replaces what others pushed. Throws
   * BRANCH_TAKEN, FORGE_REFUSED, FORGE_AWAY, and errors of opening the repository's login.
   */
  publish(commit: BranchCommit, signal: AbortSignal): Promise<{ readonly isNew: boolean }>;
  /** Finds the open change of a published branch, or opens one. Throws FORGE_REFUSED, FORGE_AWAY. */
  openChange(request: ChangeRequest, signal: AbortSignal): Promise<Change>;
  /** Describes the newest change of a branch; null without one. Throws FORGE_REFUSED, FORGE_AWAY. */
  findChange(branch: string, signal: AbortSignal): Promise<Change | null>;
}
