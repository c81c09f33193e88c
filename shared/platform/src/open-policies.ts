import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import { AppError } from '@signalbox/contracts/errors';
import { runInBackground } from './lifecycle.ts';
import type { Log } from './log.ts';
import { startLoop } from './loop.ts';
import { SECOND_MS, sleep } from '@signalbox/contracts/time';
import {
  loadPolicySet,
  readPolicyFolders,
  computePolicyStamp,
  type PolicyFiles,
  type PolicySet,
} from '@signalbox/safety/policy/policy-set';

export type PolicyChange =
  | { readonly kind: 'loaded'; readonly version: string }
  /** The changed policies are broken, so the previous set stays in use. `version`: hash of the broken files; null when unreadable. */
  | { readonly kind: 'refused'; readonly version: string | null; readonly detail: string };

/** Time between two polls of the policy files, long because polling is most of what an idle process does. */
const POLL_MS = 5 * SECOND_MS;
/** Time until a changed folder is polled again, to see whether copying has ended. */
const SETTLE_MS = SECOND_MS;

export interface PolicyOptions {
  /** The policy folders: the product's folder, then the folders of plug-ins. */
  readonly folders: readonly string[];
  /** IANA time zone that policy rules use. */
  readonly timeZone: string;
  readonly log: Log;
  /** Called once for each change of the policies after the start. Errors of this function are logged. */
  readonly onChange?: (change: PolicyChange) => void | Promise<void>;
  readonly pollMs?: number;
}

export interface Policies {
  /** Returns the newest valid policies. Call it for each decision, and keep the result within one decision. */
  current(): PolicyEngine;
  /** Returns the newest valid policies with their rules and source files, for the audit record. */
  currentSet(): PolicySet;
  close(): Promise<void>;
}

/**
 * Loads the policies of these folders as one set and follows its changes: a valid set replaces the old set as a whole; a broken set
 * changes nothing and is reported once. The folder is polled, not watched: container mounts are swapped by symbolic links, which watches
 * miss. Files are loaded when two polls in a row find the same change, so that half-copied files are ignored. Throws STARTUP_REFUSED when
 * the first set is broken.
 */
export async function openPolicies(options: PolicyOptions): Promise<Policies> {
  const { folders, timeZone, log, pollMs = POLL_MS } = options;
  let current = await loadFirstSet(folders, timeZone);
  const notify = (change: PolicyChange): void =>
    runInBackground(log, 'policy change', (async () => options.onChange?.(change))());

  let lastPoll: { readonly stamp: string | null; readonly files: PolicyFiles | LoadFailure } | null = null;
  let lastVersion = current.engine.version; // the version that the last poll found
  let refusedVersion = '';
  /** Polls the folder once. True when the files equal those of the previous poll. */
  const poll = async (): Promise<boolean> => {
    const stamp = await computePolicyStamp(folders).catch(() => null);
    const files: PolicyFiles | LoadFailure =
      lastPoll && stamp !== null && stamp === lastPoll.stamp ? lastPoll.files : await tryRead(folders);
    lastPoll = { stamp, files };
    const version = 'failed' in files ? files.failed : files.version;
    const isSettled = version === lastVersion;
    lastVersion = version;
    if (version === current.engine.version) refusedVersion = '';
    if (!isSettled || version === current.engine.version || version === refusedVersion) return isSettled;
    const set = 'failed' in files ? files : await tryLoad(files, timeZone);
    if ('failed' in set) {
      refusedVersion = version;
      log.error('policies refused', { version, detail: set.failed });
      notify({ kind: 'refused', version: 'failed' in files ? null : version, detail: set.failed });
      return isSettled;
    }
    [current, refusedVersion] = [set, ''];
    log.info('policies loaded', { version, rules: set.rules.length });
    notify({ kind: 'loaded', version });
    return isSettled;
  };
  const step = async (): Promise<void> => {
    if (await poll()) return;
    await sleep(Math.min(pollMs, SETTLE_MS));
    await poll();
  };

  const following = startLoop({ name: 'policies', everyMs: pollMs, log, step });
  log.info('policies loaded', { version: current.engine.version, rules: current.rules.length });
  return { current: () => current.engine, currentSet: () => current, close: () => following.close() };
}

async function loadFirstSet(folders: readonly string[], timeZone: string): Promise<PolicySet> {
  const files = await tryRead(folders);
  const set = 'failed' in files ? files : await tryLoad(files, timeZone);
  if ('failed' in set)
    throw new AppError('STARTUP_REFUSED', { reason: `the policies cannot be used.\n${set.failed}` }, set.cause);
  return set;
}

interface LoadFailure {
  readonly failed: string;
  readonly cause: unknown;
}

async function tryRead(folders: readonly string[]): Promise<PolicyFiles | LoadFailure> {
  try {
    return await readPolicyFolders(folders);
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    return { failed: `The policy folder ${folders.join(' or ')} cannot be read (${reason}).`, cause };
  }
}

async function tryLoad(files: PolicyFiles, timeZone: string): Promise<PolicySet | LoadFailure> {
  try {
    return await loadPolicySet(files, timeZone);
  } catch (cause) {
    return { failed: cause instanceof Error ? cause.message : String(cause), cause };
  }
}
