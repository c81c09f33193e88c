import type { Receipt } from '@signalbox/contracts/conversation/envelope';
import { CODE_HANDLE_PREFIX } from '@signalbox/safety/secrets/step-up-code';
import { escapeText } from '@signalbox/safety/cards/canonical-card';
import type { Queryable } from '@signalbox/store/pool';
import { readLedger, type LedgerEntry } from '@signalbox/store/receipts';
import { say } from '@signalbox/messages/say';
import type { Tool } from './calls/tool.ts';
import { listEntityFacts, type EntityFact } from './provenance/unfounded.ts';

const RECEIPTS_SHOWN = 5;
/** Fields that name an action's target, in the order of the receipt. */
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
const TITLE_LENGTH = 120;
/** Final states of jobs and deployments. */
const OVER: ReadonlySet<string> = new Set(['done', 'succeeded']);
const FAILED: ReadonlySet<string> = new Set(['failed', 'cancelled', 'rolled_back']);

/** True when an action of the ledger has had an effect, or may have had one. */
export function hasEffect({ status, errorCode }: LedgerEntry): boolean {
  // The effects of a job before its failure remain.
  return status !== 'failed' || errorCode === 'JOB_FAILED';
}

/** Loads the receipts of these actions or jobs, for turns whose end the runtime reports itself. `isBrief`: see createReceipts. */
export async function loadReceipts(
  db: Queryable,
  ids: readonly string[],
  { threadId, timeZone, isBrief }: { readonly threadId: string; readonly timeZone: string; readonly isBrief: boolean },
): Promise<readonly Receipt[]> {
  const entries = await readLedger(db, threadId, ids);
  return createReceipts(
    entries.filter(({ isNamed }) => isNamed),
    timeZone,
    isBrief,
  );
}

/**
 * Creates one line per effect, oldest first: the action with its target, the time, and the command that shows details. `isBrief`: the
 * text above already names action, target and state, so a single effect shows only its time; several are told apart by their names.
 * `sayWhat`: describes an action with its target. Pure.
 */
export function createReceipts(
  entries: readonly LedgerEntry[],
  timeZone: string,
  isBrief: boolean,
  sayWhat: (entry: LedgerEntry) => string = getReceiptTitle,
): readonly Receipt[] {
  const effects = entries.filter(hasEffect);
  const [only] = effects;
  if (isBrief && only?.settledAt && effects.length === 1)
    return [{ what: timeOf(only.settledAt, timeZone), note: commandOf(only.actionId) }];
  const shown = effects.slice(0, effects.length > RECEIPTS_SHOWN ? RECEIPTS_SHOWN - 1 : RECEIPTS_SHOWN);
  const lines = shown.map((entry) => ({
    what: cutAtWord(sayWhat(entry)),
    note: [sayActionState(entry), timeOf(entry.settledAt, timeZone), commandOf(entry.actionId)]
      .filter(Boolean)
      .join(' · '),
  }));
  const rest = effects.length - shown.length;
  return rest === 0 ? lines : [...lines, { what: say('turn.more', { count: rest }), note: '/why' }];
}

/** Lists the facts of the ledger: each action that is known to have succeeded or failed. */
export function listLedgerFacts(entries: readonly LedgerEntry[]): readonly EntityFact[] {
  return entries
    .filter(({ status }) => status !== 'unknown')
    .flatMap(({ actionId, arguments: args, environment, release, result, status, work }) =>
      listEntityFacts(
        { ...args, environment: environment === 'none' ? null : environment, release, actionId, result },
        status === 'failed' || FAILED.has(work ?? ''),
      ),
    );
}

/** Returns the change that an action makes, in the reader's language: as its tool describes it, else as its receipt does. */
export function getActionTitle(kind: Pick<Tool, 'order'> | null, action: Titled): string {
  return plainLine(kind?.order(action.arguments) ?? getReceiptTitle(action));
}

type Titled = Pick<LedgerEntry, 'tool' | 'arguments'> &
  Partial<Pick<LedgerEntry, 'result' | 'release' | 'environment'>>;

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

/** Shows a value on one line, with hidden characters made visible. */
function shownOf(value: unknown): readonly string[] {
  if (typeof value === 'number') return [String(value)];
  // The handle of an identity code tells its reader nothing.
  if (typeof value !== 'string' || value.trim() === '' || value.startsWith(CODE_HANDLE_PREFIX)) return [];
  const line = value.replace(/\s+/g, ' ').trim();
  return [escapeText(line.length > FIELD_LENGTH ? `${line.slice(0, FIELD_LENGTH - 1)}…` : line)];
}

/** Describes the state of an action in words; empty for a finished action. */
export function sayActionState({ status, work }: LedgerEntry): string {
  if (status === 'unknown' || work === 'unknown') return say('turn.unknown');
  if (status === 'failed' || FAILED.has(work ?? '')) return say('turn.failed');
  return work === null || OVER.has(work) ? '' : say('turn.underWay');
}

/** Cuts a long title at a blank, with a mark. */
function cutAtWord(text: string): string {
  if (text.length <= TITLE_LENGTH) return text;
  const end = text.lastIndexOf(' ', TITLE_LENGTH);
  return `${text.slice(0, end > TITLE_LENGTH / 2 ? end : TITLE_LENGTH).toWellFormed()}…`;
}

function timeOf(at: Date | null, timeZone: string): string {
  if (at === null) return '';
  const time = at.toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
  return timeZone === 'UTC' ? `${time} UTC` : time;
}

/** Returns the /why command that shows the action. Actions with an id of an older release are shown by their turn. */
function commandOf(actionId: string): string {
  const beginning = /^act_([0-9a-z]{8})/.exec(actionId)?.[1];
  return beginning === undefined ? '/why' : `/why_${beginning}`;
}

function plainLine(text: string): string {
  return text.replace(/[*`]/g, '').replace(/\s+/g, ' ').trim();
}
