import { Environment } from '@signalbox/contracts/conversation/fields';
import { listMadeVersions, toMadeValue } from '@signalbox/contracts/governance/field-key';
import { isHarmlessText } from '@signalbox/contracts/governance/outside';
import { escapeText } from '@signalbox/safety/cards/canonical-card';
import { redactText } from '@signalbox/safety/redact/redact';
import type {
  ActionChangeRow,
  ContextRows,
  CountedRows,
  JobRow,
  MemoryRows,
  OpenIncidentRow,
  ActiveDeploymentRow,
  OwnedProjectRow,
  PendingApprovalRow,
  RememberedThreadRow,
} from '@signalbox/store/turns/context-rows';
import type { PromptSection } from './bounds.ts';
import type { TimeFormat } from './moments.ts';
import type { TimedRule } from './windows.ts';

/*
 * Writes facts about a person as lines for a model. Text that others may have written is excluded: lines hold only names of a strict
 * form, states and times, which the runtime made or checked, and memory of what the person said or did. For a conversation that read
 * outside text, the lines name its tools instead of its title and arguments, which may hold that text.
 */

export interface SectionOptions {
  readonly moments: TimeFormat;
  readonly timed: readonly TimedRule[];
  titleOf(action: Pick<ActionChangeRow, 'tool' | 'arguments'>): string;
}

const TITLE_LENGTH = 80;

/** Writes the sections in the order of the prompt; lines of the last section are omitted first. Pure. */
export function writeSections(
  rows: ContextRows,
  memory: MemoryRows,
  telling: SectionOptions,
): readonly PromptSection[] {
  const { moments } = telling;
  const now = rows.at;
  return [
    whole('time', 'Time', [
      `It is ${moments.day(now)}, ${moments.quarter(now)} in ${moments.timeZone} (${moments.offset(now)}). Yesterday was ${moments.dayBefore(now)}.`,
    ]),
    whole('rules', 'Freeze and change windows', rulesOf(rows, telling)),
    listed(
      'deciding',
      'Waits for this person’s decision; show_request tells why it was asked for',
      rows.deciding,
      '/approvals',
      (one) => pending(one, moments, 'others'),
    ),
    listed('own', 'Asked for by this person, waits for others', rows.own, 'get_my_requests', (one) =>
      pending(one, moments, 'own'),
    ),
    listed('deployments', 'Deployments under way', rows.moving, 'get_deploy_status', (one) => moving(one, moments)),
    listed('jobs', 'Jobs of this person that run or are queued', rows.jobs, '/status', (one) => job(one, moments)),
    listed('services', 'Projects of this person, and their health', rows.owned, 'list_projects', (one) =>
      owned(one, moments),
    ),
    listed('incidents', 'Open incidents of all projects', rows.incidents, 'list_services', (one) =>
      incident(one, moments),
    ),
    ...(rows.isPrivate ? memorySections(memory, now, telling) : [NOT_HERE]),
  ].map((section) => ({ ...section, lines: section.lines.map((line) => redactText(line)) }));
}

/**
 * Lists the values of these facts that the runtime made. A later call may use them although the person did not say them. It leaves out
 * versions that somebody asked for, because a model may have taken them from outside. Pure.
 */
export function listContextValues(
  { isPrivate, owned, moving, own, deciding }: ContextRows,
  { facts }: Pick<MemoryRows, 'facts'>,
): readonly string[] {
  return [
    ...owned.rows.flatMap(({ project, release }) => listMadeVersions(project, release ?? '')),
    ...moving.rows.flatMap(({ project, ref }) => listMadeVersions(project, ref)),
    ...[...own.rows, ...deciding.rows].map(({ approvalId }) => toMadeValue('request', approvalId)),
    ...(isPrivate ? facts.map(({ n }) => toMadeValue('number', String(n))) : []),
  ];
}

/** Other people read a group chat, so neither the model nor its answer may hold private facts. */
const NOT_HERE = whole('memory', 'Memory', ['Others read here, so what is remembered stays in the private chat.']);

function memorySections(memory: MemoryRows, now: Date, telling: SectionOptions): readonly PromptSection[] {
  const outside =
    memory.outside === 0
      ? []
      : [
          `${memory.outside} of the facts came from text of outside, and are not shown here: recall_memory shows them, marked as such.`,
        ];
  return [
    {
      ...whole(
        'conversations',
        'Other conversations of this person, newest first, with what the ledger says was changed',
        memory.conversations.map((one) => conversation(one, now, telling)),
      ),
      elsewhere: 'search_knowledge',
    },
    {
      name: 'facts',
      heading:
        'Facts that this person asked to have remembered, rules of theirs among them, in their own words, newest first; before a change against such a rule, name it and ask',
      lines: [...outside, ...memory.facts.map(({ n, fact, madeAt }) => factLine(n, fact, madeAt, telling))],
      more: memory.total - memory.outside - memory.facts.length,
      elsewhere: 'recall_memory',
    },
  ];
}

function factLine(n: number, fact: string, madeAt: string, { moments }: SectionOptions): string {
  return `${escapeText(fact)} (number ${n}, ${moments.minute(new Date(madeAt))})`;
}

function rulesOf({ frozenSince, breakGlassUntil }: ContextRows, { moments, timed }: SectionOptions): readonly string[] {
  return [
    ...(frozenSince === null
      ? []
      : [
          `A freeze is in force${isTime(frozenSince) ? ` since ${moments.minute(new Date(frozenSince))}` : ''}: only look-ups run.`,
        ]),
    ...(breakGlassUntil !== null && isTime(breakGlassUntil)
      ? [`Break-glass is open until ${moments.minute(new Date(breakGlassUntil))}.`]
      : []),
    ...timed.map(({ id, reason }) => `Change window, rule ${id}: ${reason}`),
    ...(timed.length === 0 ? [`There is no ${frozenSince === null ? 'freeze and no ' : ''}change window.`] : []),
  ];
}

function pending(row: PendingApprovalRow, moments: TimeFormat, whose: 'own' | 'others'): string {
  const { approvalId, tool, environment, resources, byRequester, requestedAt, expiresAt, votes, needed } = row;
  const about = [...(environment === 'none' ? [] : [environment]), ...resources.filter(isResource)];
  const waits = byRequester ? 'for their own confirmation, on the card' : `${votes} of ${needed} approvals`;
  const times = `since ${moments.minute(new Date(requestedAt))}, until ${moments.minute(new Date(expiresAt))}`;
  const isOthers = whose === 'others' && !byRequester && row.asker !== null && isPlainName(row.asker);
  const asker = isOthers ? `, asked for by ${row.asker}` : '';
  return `${tool}${named(row.version)}${about.length === 0 ? '' : ` (${about.join(', ')})`}${asker}, ${waits}, ${times}, ${approvalId}`;
}

function incident({ subject, project, environment, kind, openedAt }: OpenIncidentRow, moments: TimeFormat): string {
  const place = `project:${project ?? ''}`;
  const where = Environment.safeParse(environment).data;
  const of = isResource(place) ? `${place}${where === undefined ? '' : ` in ${where}`}` : 'something';
  return `${isResource(subject) ? subject : of}: ${kind}, since ${moments.minute(new Date(openedAt))}`;
}

/** True for a name of one word: more words could be an order. */
function isPlainName(name: string): boolean {
  return /^[\p{L}\p{N}-]{1,30}$/u.test(name);
}

function moving(
  { project, environment, kind, ref, state, requestedAt, isOwn }: ActiveDeploymentRow,
  moments: TimeFormat,
): string {
  const whose = isOwn ? '' : ', asked for by somebody else';
  return `${kind} of ${project}${named(ref)} to ${environment}: ${state}, since ${moments.minute(new Date(requestedAt))}${whose}`;
}

function job({ runId, job: name, status, createdAt }: JobRow, moments: TimeFormat): string {
  return `${name}: ${status}, since ${moments.minute(new Date(createdAt))}, ${runId}`;
}

function owned(row: OwnedProjectRow, moments: TimeFormat): string {
  const { project, environment, server, serving, release, verdict, lookedAt, incidents, serverHealth } = row;
  if (environment === null) return `${project}: never deployed`;
  const place = `${project} in ${environment}`;
  if (!serving) return `${place}: nothing is deployed`;
  const trouble = incidents.length === 0 ? '' : `, open incidents: ${incidents.join(', ')}`;
  const host = server === null ? '' : `, on ${server}${serverHealth === 'down' ? ' (which is down)' : ''}`;
  const isWell = verdict === null || verdict === 'healthy' || lookedAt === null;
  const looked = isWell ? '' : `, looked at ${moments.minute(new Date(lookedAt))}`;
  return `${place}: ${verdict ?? 'health unknown'}, release${named(release) || NOT_NAMED}${host}${looked}${trouble}`;
}

function conversation(row: RememberedThreadRow, now: Date, { moments, titleOf }: SectionOptions): string {
  const { threadId, status, awaiting, title, tainted, createdAt, lastActiveAt, changes } = row;
  const [from, to] = [new Date(createdAt), new Date(lastActiveAt)];
  const when = `${moments.minute(from)} to ${moments.ago(from, now) === moments.ago(to, now) ? moments.clock(to) : moments.minute(to)} (${moments.ago(to, now)})`;
  const what = changes.map((change) => {
    const state = stateOf(change);
    const name = tainted ? change.tool : clip(titleOf(change));
    return state === '' ? name : `${name} [${state}]`;
  });
  const about = title === null || tainted || changes.length > 0 ? '' : `; about “${clip(title)}”`;
  const changed = what.length === 0 ? '; nothing was changed' : `; changed: ${what.toReversed().join('; ')}`;
  const asks = awaiting ? ', a question waits for their answer' : '';
  const source = tainted ? '; it read text from outside' : '';
  return `${when}, ${threadId}, ${status}${asks}${about}${changed}${source}`;
}

const OVER: ReadonlySet<string | null> = new Set([null, 'done', 'succeeded']);
const FAILED: ReadonlySet<string | null> = new Set(['failed', 'cancelled', 'rolled_back']);

function stateOf({ status, work }: ActionChangeRow): string {
  if (status === 'unknown' || work === 'unknown') return 'outcome unknown';
  if (status === 'failed' || FAILED.has(work)) return 'failed';
  return OVER.has(work) ? '' : 'under way';
}

function whole(name: string, heading: string, lines: readonly string[]): PromptSection {
  return { name, heading, lines, more: 0, elsewhere: 'not shown' };
}

function listed<T>(
  name: string,
  heading: string,
  { rows, total }: CountedRows<T>,
  elsewhere: string,
  write: (row: T) => string,
): PromptSection {
  return { name, heading, lines: rows.map(write), more: Math.max(0, total - rows.length), elsewhere };
}

/** True when the name has the strict form of names; a path or command could contain instructions. */
function isResource(resource: string): boolean {
  return /^(project|service|server|node|thread|port|environment):[a-z0-9][a-z0-9_/:-]{0,80}$/.test(resource);
}

/** Who tags a commit names the release. */
const NOT_NAMED = ' whose name is not shown here';

/** Returns a version only in the form of a version number: whoever tags a commit chooses the text. */
function named(version: string | null): string {
  return version !== null && version !== '' && isHarmlessText(version) ? ` ${version}` : '';
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

function clip(text: string): string {
  const line = escapeText(text.replace(/\s+/g, ' ').trim());
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH - 1)}…`;
}
