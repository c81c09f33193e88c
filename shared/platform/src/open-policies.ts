import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import { AppError } from '@signalbox/contracts/errors';
import { background } from './lifecycle.ts';
import type { Log } from './log.ts';
import { startLoop } from './loop.ts';
import { SECOND_MS, sleep } from '@signalbox/contracts/time';
import {
  loadPolicySet,
  readPolicyFolder,
  stampPolicyFolder,
  type PolicyFiles,
  type PolicySet,
} from '@signalbox/safety/policy/policy-set';

/** What became of a change in the folder. */
export type PolicyChange =
  | { readonly kind: 'loaded'; readonly version: string }
  /** The set stays what it was. `version` is that of the broken files, null when they cannot even be read. */
  | { readonly kind: 'refused'; readonly version: string | null; readonly detail: string };

/** A look at all files is most of what an idle process does. */
const POLL_MS = 5 * SECOND_MS;
/** What was seen to change is looked at again after this. */
const SETTLE_MS = SECOND_MS;

export interface PolicyOptions {
  readonly folder: string;
  /** IANA zone in which rules tell the time. */
  readonly timeZone: string;
  readonly log: Log;
  /** Told of each change after the start, once. What it throws is logged. */
  readonly onChange?: (change: PolicyChange) => void | Promise<void>;
  /** How often the folder is looked at, in milliseconds. */
  readonly pollMs?: number;
}

export interface Policies {
  /** The newest set that could be used. Ask for it at each decision; within one decision keep it. */
  current(): PolicyEngine;
  /** The same with its rules, and its files for the record. */
  currentSet(): PolicySet;
  close(): Promise<void>;
}

/**
 * Loads the policies of a folder and follows its changes: a good set takes the place of the old one as a whole, a broken one
 * changes nothing and is reported once. Throws STARTUP_REFUSED when the set is broken at the start.
 *
 * Following is a look at all files, not a watch: folders that are mounted into containers are swapped by links, which watches
 * miss. Their bytes are read when a file has another stamp than at the look before. A set is loaded when two looks in a row see the same, so that files that are being copied are left alone.
 */
export async function openPolicies(options: PolicyOptions): Promise<Policies> {
  const { folder, timeZone, log, pollMs = POLL_MS } = options;
  let current = await firstSet(folder, timeZone);
  const tell = (change: PolicyChange): void =>
    background(log, 'policy change', (async () => options.onChange?.(change))());

  let last: { readonly stamp: string | null; readonly found: PolicyFiles | Failed } | null = null;
  let seen = current.engine.version; // by the last look
  let refused = '';
  /** Whether it saw the same as the look before. */
  const look = async (): Promise<boolean> => {
    const stamp = await stampPolicyFolder(folder).catch(() => null);
    const found: PolicyFiles | Failed =
      last && stamp !== null && stamp === last.stamp ? last.found : await readOrFail(folder);
    last = { stamp, found };
    const key = 'failed' in found ? found.failed : found.version;
    const settled = key === seen;
    seen = key;
    if (key === current.engine.version) refused = '';
    if (!settled || key === current.engine.version || key === refused) return settled;
    const set = 'failed' in found ? found : await tryLoad(found, timeZone);
    if ('failed' in set) {
      refused = key;
      log.error('policies refused', { version: key, detail: set.failed });
      tell({ kind: 'refused', version: 'failed' in found ? null : key, detail: set.failed });
      return settled;
    }
    [current, refused] = [set, ''];
    log.info('policies loaded', { version: key, rules: set.rules.length });
    tell({ kind: 'loaded', version: key });
    return settled;
  };
  const step = async (): Promise<void> => {
    if (await look()) return;
    await sleep(Math.min(pollMs, SETTLE_MS));
    await look();
  };

  const following = startLoop({ name: 'policies', everyMs: pollMs, log, step });
  log.info('policies loaded', { version: current.engine.version, rules: current.rules.length });
  return {
    current: () => current.engine,
    currentSet: () => current,
    close: () => following.close(),
  };
}

async function firstSet(folder: string, timeZone: string): Promise<PolicySet> {
  const found = await readOrFail(folder);
  const set = 'failed' in found ? found : await tryLoad(found, timeZone);
  if ('failed' in set)
    throw new AppError('STARTUP_REFUSED', { reason: `the policies cannot be used.\n${set.failed}` }, set.cause);
  return set;
}

interface Failed {
  readonly failed: string;
  readonly cause: unknown;
}

async function readOrFail(folder: string): Promise<PolicyFiles | Failed> {
  try {
    return await readPolicyFolder(folder);
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    return { failed: `The policy folder ${folder} cannot be read (${reason}).`, cause };
  }
}

async function tryLoad(files: PolicyFiles, timeZone: string): Promise<PolicySet | Failed> {
  try {
    return await loadPolicySet(files, timeZone);
  } catch (cause) {
    return { failed: cause instanceof Error ? cause.message : String(cause), cause };
  }
}
