import { createHash } from 'node:crypto';
import { parseJson } from '@signalbox/contracts/system-error';
import { makeStorable } from '@signalbox/contracts/storable';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import {
  FLOOD_WINDOW_MS,
  recordAlarms,
  MAX_TOLD_ALARMS,
  type AlarmSentences,
  type HeardAlarm,
} from '@signalbox/store/incidents/record-alarms';
import { formatMoment } from '@signalbox/store/incidents/incident-cards';
import { closeSourceTrouble, openSourceTrouble, type SourceTrouble } from '@signalbox/store/incidents/source-troubles';
import type { NotifiedLane } from '@signalbox/store/deploy/incident-news';
import type { Pool } from '@signalbox/store/pool';
import { MAX_ALARMS, type SentAlarm } from './alarm.ts';
import { mapLabels, type AlarmSource } from './alarm-source.ts';
import { DECODERS } from './kinds/decode.ts';

export interface TakenRequest {
  readonly status: 200 | 400;
  readonly body: Readonly<Record<string, unknown>>;
  readonly notified: readonly NotifiedLane[];
}

const MAX_TITLE = 200;
/** Title in a list. */
const MAX_NAME = 80;
const MAX_TEXT = 300;
const MAX_LINK = 200;

/** Takes the request of an authentic source: stores what it reports and tells people. Status 200 means that it is stored. */
export async function takeAlarms(
  pool: Pool,
  source: AlarmSource,
  raw: Buffer,
  headers: Readonly<Record<string, unknown>>,
): Promise<TakenRequest> {
  const now = new Date();
  const json = parseJson(raw.toString());
  const decoded =
    json === undefined ? null : DECODERS[source.kind](makeStorable(json), { headers, paths: source.paths });
  if (decoded === null) {
    const notified = await reportTrouble(pool, source, 'unreadable');
    return { status: 400, body: { error: say('ingress.no-alarm', { kind: source.kind }) }, notified };
  }
  const mended = await closeSourceTrouble(
    pool,
    source.name,
    'unreadable',
    say('alarms.readable', { source: source.name }),
  );
  if ('ignored' in decoded) {
    await recordAlarms(pool, source, [], SENTENCES(source, new Map(), now));
    return { status: 200, body: { taken: 0, ignored: decoded.ignored }, notified: mended };
  }
  const digest = createHash('sha256').update(raw).digest('hex').slice(0, 32);
  const sent = decoded.alarms.slice(0, MAX_ALARMS);
  const alarms = sent.map((alarm) => toHeard(source, alarm, digest));
  const severities = new Map(alarms.map((alarm, place) => [alarm, sent[place]?.severity ?? 'none']));
  const heard = await recordAlarms(pool, source, alarms, SENTENCES(source, severities, now));
  const isFlood = heard.isFlood || decoded.alarms.length > MAX_ALARMS;
  const flood = isFlood ? await reportTrouble(pool, source, 'flood') : [];
  return {
    status: 200,
    body: { taken: alarms.length, told: heard.notified.length },
    notified: [...heard.notified, ...mended, ...flood],
  };
}

/** Tells once what is wrong with a source itself. */
export function reportTrouble(pool: Pool, source: AlarmSource, kind: SourceTrouble): Promise<readonly NotifiedLane[]> {
  const { name, tells } = source;
  const sentences = {
    flood: () => say('alarms.flood', { source: name, count: MAX_TOLD_ALARMS, window: sayDuration(FLOOD_WINDOW_MS) }),
    throttled: () => say('alarms.throttled', { source: name }),
    unreadable: () => say('alarms.unreadable', { source: name, kind: source.kind }),
  };
  return openSourceTrouble(pool, { source: name, kind, tells, say: sentences[kind] });
}

function toHeard(source: AlarmSource, alarm: SentAlarm, digest: string): HeardAlarm {
  const { project, environment } = mapLabels(source.labels, alarm.labels);
  return {
    fingerprint: createHash('sha256').update(alarm.key).digest('hex').slice(0, 24),
    isFiring: alarm.isFiring,
    startedAt: alarm.startedAt,
    endedAt: alarm.endedAt,
    project,
    environment,
    detail: () => describeAlarm(source, alarm, project, environment),
    quote: toQuote(alarm),
    digest,
  };
}

/** Names an alarm in one sentence, which repeats the beginning of its title. */
function describeAlarm(
  { name: source }: AlarmSource,
  alarm: SentAlarm,
  project: string | null,
  environment: string | null,
): string {
  // The quotation ends where we end it, and no link in it can be pressed.
  const plain = alarm.title.replace(/https?:\/\/\S*/gi, '…').replace(/[“”„«»"]/g, "'");
  const title = cut(plain, MAX_NAME);
  const severity = alarm.severity ?? 'none';
  const values = { source, severity, hasTitle: title === '' ? 'no' : 'yes', title };
  return say('alarms.detail', { ...values, ...toService(project, environment) });
}

/** The words of an alarm for a code block, in which no link can be pressed and no formatting works. */
function toQuote({ title, text, link }: SentAlarm): string {
  const lines = [cut(title, MAX_TITLE), text === null ? '' : cut(text, MAX_TEXT), link === null ? '' : readLink(link)];
  return lines.filter((line) => line !== '').join('\n');
}

function readLink(link: string): string {
  if (link.length > MAX_LINK || !URL.canParse(link)) return '';
  const { protocol, username, password, href } = new URL(link);
  return /^https?:$/.test(protocol) && username === '' && password === '' ? href.slice(0, MAX_LINK) : '';
}

/** One line without characters that change how a terminal or a client shows it. */
function cut(text: string, length: number): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= length ? line : `${line.slice(0, length - 1).toWellFormed()}…`;
}

type Severities = ReadonlyMap<HeardAlarm, string>;

const SENTENCES = (source: AlarmSource, severities: Severities, now: Date): AlarmSentences => ({
  opened: (alarm) =>
    say('alarms.opened', {
      source: source.name,
      severity: severities.get(alarm) ?? 'none',
      ...toService(alarm.project, alarm.environment),
      since: formatMoment(alarm.startedAt ?? now, now),
    }),
  again: (alarm) =>
    say('alarms.again', {
      source: source.name,
      ...toService(alarm.project, alarm.environment),
      quiet: sayDuration(10 * MINUTE_MS),
    }),
  ended: (alarm, { lastedMs, repeats }) =>
    say('alarms.ended', {
      source: source.name,
      severity: severities.get(alarm) ?? 'none',
      ...toService(alarm.project, alarm.environment),
      lasted: sayDuration(lastedMs),
      repeats,
    }),
});

function toService(project: string | null, environment: string | null) {
  const known = environment === null ? 'project' : 'yes';
  return { hasService: project === null ? 'no' : known, project: project ?? '', environment: environment ?? '' };
}
