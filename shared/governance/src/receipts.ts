import type { Receipt } from '@signalbox/contracts/conversation/envelope';
import { CODE_HANDLE_PREFIX } from '@signalbox/safety/secrets/step-up-code';
import { escapeText } from '@signalbox/safety/cards/canonical-card';
import type { Queryable } from '@signalbox/store/pool';
import { readLedger, type LedgerEntry } from '@signalbox/store/receipts';
import { say } from '@signalbox/messages/say';
import type { Tool } from './calls/tool.ts';
import { factsOf, type Fact } from './provenance/unfounded.ts';

/** More lines than this nobody reads. */
const RECEIPTS_SHOWN = 5;
/** Fields that say what and where, in the order in which they are told. */
const TELLING = [
  'name',
  'project',
  'service',
  'version',
  'release',
  'variable',
  'port',
  'path',
  'command',
  'server',
  'node',
  'environment',
] as const;
const FIELDS_SHOWN = 5;
const FIELD_LENGTH = 40;
/** States of jobs and deployments after which nothing more comes. */
const OVER: ReadonlySet<string> = new Set(['done', 'succeeded']);
const FAILED: ReadonlySet<string> = new Set(['failed', 'cancelled', 'rolled_back']);

/** Whether an action of the ledger has had an effect, or may have had one. */
export function isEffect({ status, errorCode }: LedgerEntry): boolean {
  // What a job did before it failed stands.
  return status !== 'failed' || errorCode === 'JOB_FAILED';
}

/** Receipts of these actions, or of these jobs, for an end of a turn that the runtime itself tells. `isBrief`: see receiptsFor. */
export async function receiptsOf(
  db: Queryable,
  ids: readonly string[],
  { threadId, timeZone, isBrief }: { readonly threadId: string; readonly timeZone: string; readonly isBrief: boolean },
): Promise<readonly Receipt[]> {
  const entries = await readLedger(db, threadId, ids);
  return receiptsFor(
    entries.filter(({ isNamed }) => isNamed),
    timeZone,
    isBrief,
  );
}

/**
 * One line per effect, oldest first: what and where, when, and the command that opens it. `isBrief`: the text above says what, where and
 * in which state in the runtime's own words, so a single effect needs only its time. `sayWhat`: what an action did, and to what. Pure.
 */
export function receiptsFor(
  entries: readonly LedgerEntry[],
  timeZone: string,
  isBrief: boolean,
  sayWhat: (entry: LedgerEntry) => string = getReceiptTitle,
): readonly Receipt[] {
  const effects = entries.filter(isEffect);
  const [only] = effects;
  if (isBrief && only?.settledAt && effects.length === 1)
    return [{ what: timeOf(only.settledAt, timeZone), note: commandOf(only.actionId) }];
  const shown = effects.slice(0, effects.length > RECEIPTS_SHOWN ? RECEIPTS_SHOWN - 1 : RECEIPTS_SHOWN);
  const lines = shown.map((entry) => ({
    what: (isBrief ? titleOf(entry.tool) : sayWhat(entry)).slice(0, 200),
    note: [sayState(entry), timeOf(entry.settledAt, timeZone), commandOf(entry.actionId)].filter(Boolean).join(' · '),
  }));
  const rest = effects.length - shown.length;
  return rest === 0 ? lines : [...lines, { what: say('turn.more', { count: rest }), note: '/why' }];
}

/** What the ledger founds: each action that is known to have come about, and each that is known to have failed. */
export function factsOfLedger(entries: readonly LedgerEntry[]): readonly Fact[] {
  return entries
    .filter(({ status }) => status !== 'unknown')
    .flatMap(({ actionId, arguments: args, environment, release, result, status, work }) =>
      factsOf(
        { ...args, environment: environment === 'none' ? null : environment, release, actionId, result },
        status === 'failed' || FAILED.has(work ?? ''),
      ),
    );
}

/** The change that an action makes, as its tool says it in the language of its reader; in the words of its receipt where it says nothing. */
export function getActionTitle(kind: Pick<Tool, 'order'> | null, action: Titled): string {
  return plainLine(kind?.order(action.arguments) ?? getReceiptTitle(action));
}

/** What tells an action, as far as it is known. */
type Titled = Pick<LedgerEntry, 'tool' | 'arguments'> &
  Partial<Pick<LedgerEntry, 'result' | 'release' | 'environment'>>;

/** What an action did, and to what, as its receipt says it. */
export function getReceiptTitle(entry: Titled): string {
  return [titleOf(entry.tool), ...fieldsOf(entry)].join(' ');
}

function titleOf(tool: string): string {
  return tool.replace(/_intent$/, '').replaceAll('_', ' ');
}

function fieldsOf({ arguments: args, result, release = null, environment = null }: Titled): readonly string[] {
  const known: Readonly<Record<string, unknown>> = {
    ...(typeof result === 'object' ? result : {}),
    ...args,
    ...(release === null ? {} : { version: null, release }),
    ...(environment === null || environment === 'none' ? {} : { environment }),
  };
  const told = TELLING.map((field) => known[field]).flatMap(shownOf);
  const fields = told.length > 0 ? told : Object.values(args).flatMap(shownOf);
  return [...new Set(fields)].slice(0, FIELDS_SHOWN);
}

/** A value on one line, in which nothing is hidden. */
function shownOf(value: unknown): readonly string[] {
  if (typeof value === 'number') return [String(value)];
  // The mark of a code tells its reader nothing.
  if (typeof value !== 'string' || value.trim() === '' || value.startsWith(CODE_HANDLE_PREFIX)) return [];
  const line = value.replace(/\s+/g, ' ').trim();
  return [escapeText(line.length > FIELD_LENGTH ? `${line.slice(0, FIELD_LENGTH - 1)}…` : line)];
}

/** What became of an action that is not simply done; nothing when it is. */
export function sayState({ status, work }: LedgerEntry): string {
  if (status === 'unknown' || work === 'unknown') return say('turn.unknown');
  if (status === 'failed' || FAILED.has(work ?? '')) return say('turn.failed');
  return work === null || OVER.has(work) ? '' : say('turn.underWay');
}

function timeOf(at: Date | null, timeZone: string): string {
  if (at === null) return '';
  const time = at.toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
  return timeZone === 'UTC' ? `${time} UTC` : time;
}

/** The command that opens it: see /why. Ids of before are opened by their turn. */
function commandOf(actionId: string): string {
  const beginning = /^act_([0-9a-z]{8})/.exec(actionId)?.[1];
  return beginning === undefined ? '/why' : `/why_${beginning}`;
}

function plainLine(text: string): string {
  return text.replace(/[*`]/g, '').replace(/\s+/g, ' ').trim();
}
