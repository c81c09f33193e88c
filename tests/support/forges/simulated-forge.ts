export type SimulatedKind = 'github' | 'gitlab' | 'gitea';

/** An answer that comes instead of the right one, or what happens to the connection. */
export interface Fault {
  /** Matches the method and the path, such as `POST /repos/ada/shop/pulls`. */
  readonly at: RegExp;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The request is carried out, and the connection breaks before the answer. */
  readonly breaksAfter?: boolean;
  /** The answer never comes. */
  readonly hangs?: boolean;
  /** The request is carried out, and the answer never comes. */
  readonly hangsAfter?: boolean;
  /** How many requests it meets; 1 by default. */
  times?: number;
}

export interface ForgeSimulator {
  readonly web: string;
  readonly api: string;
  readonly pulls: SimulatedPull[];
  readonly checks: { name: string; state: 'pending' | 'passed' | 'failed' }[];
  readonly faults: Fault[];
  /** Requests of the API, and what is wrong with them by the forge's own description. */
  readonly requests: string[];
  readonly problems: string[];
  /** Tokens that the API and git take; the first is that of the project. */
  readonly tokens: string[];
  readonly repository: { isArchived: boolean };
  /** Public key of the GitHub App that is installed. */
  app: { readonly id: string; readonly key: string; isInstalled: boolean } | null;
  git(...words: string[]): string;
  /** Refuses pushes to branches with this beginning, in the words of the forge. */
  protect(beginning: string): void;
  close(): Promise<void>;
}

export interface SimulatedPull {
  readonly number: number;
  readonly branch: string;
  readonly into: string;
  readonly title: string;
  readonly body: string;
  /** The repository that the branch is of: the project's own, or somebody's copy. */
  readonly from: 'own' | 'copy';
  state: 'open' | 'closed' | 'merged';
  canMerge: boolean | null;
}
