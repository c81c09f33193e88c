import type { ChangeChecks, ChangeRequest } from './forge.ts';
import type { ForgeClient } from './forge-client.ts';

/** A change as a forge reports it. */
export interface FoundChange {
  readonly number: number;
  readonly state: 'open' | 'merged' | 'closed';
  readonly commit: string;
  readonly canMerge: boolean | null;
}

/** What differs between the forges: their requests and answers. All methods throw FORGE_REFUSED and FORGE_AWAY. */
export interface ForgeApi {
  /** Path of the page of a change, below the forge's address. */
  pagePath(number: number): string;
  readRepository(signal: AbortSignal): Promise<{ readonly mainBranch: string; readonly isArchived: boolean }>;
  /** Lists the changes of a branch of the repository itself, not of copies, newest first. */
  listChanges(branch: string, signal: AbortSignal): Promise<readonly { number: number; state: FoundChange['state'] }[]>;
  readChange(number: number, signal: AbortSignal): Promise<FoundChange>;
  /** Opens a change; returns false when the forge says that one exists already. */
  create(request: ChangeRequest & { readonly into: string }, signal: AbortSignal): Promise<boolean>;
  readChecks(commit: string, signal: AbortSignal): Promise<ChangeChecks>;
}

/** The part of a forge's kind that is known before its client. */
export interface ForgeProtocol {
  /** Rights that a token needs, as the forge names them. */
  readonly rights: string;
  readonly headers: Readonly<Record<string, string>>;
  authorize(token: string): string;
  connect(client: ForgeClient, names: readonly string[]): ForgeApi;
}

/** Maximum pages that are read of one list. */
export const MAX_PAGES = 10;

/** Sums up checks: one failed check fails all, and one that runs delays the others. Pure. */
export function sumUpChecks(
  checks: readonly { readonly name: string; readonly state: 'pending' | 'passed' | 'failed' }[],
): ChangeChecks {
  const failed = checks.filter(({ state }) => state === 'failed').map(({ name }) => name);
  const isPending = checks.some(({ state }) => state === 'pending');
  if (failed.length > 0) return { state: 'failed', failed: failed.slice(0, 10) };
  if (checks.length === 0) return { state: 'none', failed: [] };
  return { state: isPending ? 'pending' : 'passed', failed: [] };
}
