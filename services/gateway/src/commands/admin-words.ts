import { plainName } from '@signalbox/contracts/plain-name';
import { serviceName, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import type { DeadLetterRow } from '@signalbox/store/conversation/dead-letter-review';
import type { Incident } from '@signalbox/store/deploy/incidents';
import type { Overview } from '@signalbox/store/conversation/overview';
import type { User } from '@signalbox/store/people/users';
import { sayDuration } from '@signalbox/messages/duration';

/** What the gateway answers to commands about people, queues and muted services. */
export const QUEUES_USAGE = 'Write it as `/queues`, `/queues retry <id>` or `/queues resolve <id>`.';
export const MUTE_USAGE =
  'Write it as `/mute <project> <environment> [hours]`; 0 hours bring messages back. `/mute` shows what is muted.';
export const LETTER_SETTLED = 'That dead letter was settled before; nothing was changed.';
export const LETTER_RETRIED = 'It is tried again now.';
export const LETTER_RESOLVED = 'It is marked as dealt with.';

export const noLetter = (id: string): string =>
  `There is no dead letter ${plainName(id.slice(0, 80))}. /queues names the open ones.`;
export const letterRefused = (reason: string): string => `It cannot be tried again. ${reason}`;

export function users(list: readonly (User & { readonly lastSeen: Date | null })[], now = Date.now()): string {
  const lines = list.map(({ name, userKey, role, lastSeen }) => {
    const seen = lastSeen === null ? 'has not written yet' : `wrote ${sayDuration(now - lastSeen.getTime())} ago`;
    return `- ${plainName(name)}, id ${userKey}: ${role}, ${seen}`;
  });
  return [list.length === 1 ? 'One person:' : `${list.length} people:`, '', ...lines].join('\n');
}

export function whichPerson(typed: string, meant: readonly User[]): string {
  if (meant.length === 0) return `I know nobody named ${plainName(typed.slice(0, 80))}. /users shows who is here.`;
  return `Which ${plainName(typed)}? Write the id: ${meant.map(({ userKey }) => userKey).join(', ')}.`;
}

/** One short message: what waits, what runs, what is stuck. */
export function queues(
  { messagesOpen, oldestMessageMs, outboxPending, oldestReplyMs, turns, jobs, parkedChats, deadLetters }: Overview,
  letters: readonly DeadLetterRow[],
  incidents: readonly Incident[],
  now = Date.now(),
): string {
  const age = (ms: number | null): string => (ms === null ? '' : `, the oldest for ${sayDuration(ms)}`);
  const open = jobs.filter(({ status }) => status === 'queued' || status === 'running');
  const failed = jobs.filter(({ status }) => status === 'failed').reduce((sum, { count }) => sum + count, 0);
  const working = turns.map(
    ({ name, userKey, waiting }) => `${plainName(name ?? userKey)}${waiting > 1 ? ` (${waiting} waiting)` : ''}`,
  );
  return [
    `**In**: ${count(messagesOpen, 'message')} open${age(oldestMessageMs)}`,
    `**Out**: ${count(outboxPending, 'reply')} to deliver${age(oldestReplyMs)}${parkedChats.length > 0 ? `; ${count(parkedChats.length, 'chat')} parked` : ''}`,
    `**Lanes**: ${turns.length === 0 ? 'nobody is being served' : `serving ${working.slice(0, 5).join(', ')}${turns.length > 5 ? ` and ${turns.length - 5} more` : ''}`}`,
    `**Jobs**: ${open.length === 0 ? 'none waits' : open.map(({ job, status, count: n }) => `${n} × ${job} ${status}`).join(', ')}${failed > 0 ? `; ${failed} failed today` : ''}`,
    `**Broken now**: ${
      incidents.length === 0
        ? 'nothing'
        : incidents
            .slice(0, 5)
            .map(({ subject, kind }) => `${plainName(subject.replace(/^service:/, ''))} (${kind})`)
            .join(', ')
    }`,
    `**Dead letters**: ${deadLetters === 0 ? 'none' : deadLetters}`,
    ...letters.map(
      ({ id, source, reason, createdAt }) =>
        `- \`${id}\` ${source}, ${sayDuration(now - createdAt.getTime())} ago: ${plainName(reason.slice(0, 120))}`,
    ),
    ...(letters.length > 0
      ? ['', '`/queues retry <id>` tries one again, `/queues resolve <id>` marks it as dealt with.']
      : []),
  ].join('\n');
}

type Muted = ServiceKey & { readonly mutedUntil: Date | null };

export function muted(services: readonly Muted[], now: number): string {
  const quiet = services.filter(({ mutedUntil }) => mutedUntil !== null && mutedUntil.getTime() > now);
  if (quiet.length === 0) return `Nothing is muted. ${MUTE_USAGE}`;
  return quiet
    .map(
      (one) => `- ${plainName(serviceName(one))} for another ${sayDuration((one.mutedUntil?.getTime() ?? now) - now)}`,
    )
    .join('\n');
}

export const mutedNow = (service: ServiceKey, hours: number): string =>
  hours === 0
    ? `I speak up again when ${plainName(service.project)} in ${service.environment} breaks.`
    : `I keep quiet about ${plainName(service.project)} in ${service.environment} for ${count(hours, 'hour')}. It is still watched.`;

export function noService(service: ServiceKey, known: readonly Muted[]): string {
  const names = known.slice(0, 10).map((one) => plainName(serviceName(one)));
  return `I know no service ${plainName(serviceName(service).slice(0, 80))}. ${names.length === 0 ? 'Nothing has been deployed yet.' : `There are: ${names.join(', ')}.`}`;
}

function count(n: number, noun: string): string {
  if (n === 1) return `1 ${noun}`;
  return `${n} ${noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}
