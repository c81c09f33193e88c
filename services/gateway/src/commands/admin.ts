import { appendAudit } from '@signalbox/store/audit/audit';
import {
  listDeadLetters,
  resolveDeadLetter,
  retryDeadLetterWithin,
} from '@signalbox/store/conversation/dead-letter-review';
import { listOpenIncidents } from '@signalbox/store/deploy/incidents';
import { readOverview } from '@signalbox/store/conversation/overview';
import { listUsersSeen } from '@signalbox/store/people/users';
import * as words from './words/admin-words.ts';
import type { Answer, AnswerParts, Asked } from './question.ts';

/** Dead letters that a message names, and people. */
const LETTERS = 5;
const PEOPLE = 50;

/** People, their roles, and when they wrote last. */
export async function users({ db }: AnswerParts): Promise<Answer> {
  return { text: words.users(await listUsersSeen(db, PEOPLE)), personal: true };
}

/** What waits, runs and is stuck; `retry` and `resolve` settle a dead letter. */
export async function queues(parts: AnswerParts, rest: string, asked: Asked): Promise<Answer> {
  const [verb = '', id = '', ...more] = rest.split(/\s+/);
  if (verb === '') {
    const overview = await readOverview(parts.db, null);
    const letters = await listDeadLetters(parts.db, { settled: false, limit: LETTERS });
    return { text: words.queues(overview, letters, await listOpenIncidents(parts.db)), personal: true };
  }
  if ((verb !== 'retry' && verb !== 'resolve') || id === '' || more.length > 0)
    return { text: words.QUEUES_USAGE, personal: true };
  return verb === 'retry' ? retry(parts, id, asked) : resolve(parts, id, asked);
}

async function retry({ db }: AnswerParts, id: string, asked: Asked): Promise<Answer> {
  const result = await retryDeadLetterWithin(db, id);
  switch (result.kind) {
    case 'missing':
      return { text: words.noLetter(id), personal: true };
    case 'settled':
      return { text: words.LETTER_SETTLED, personal: true };
    case 'refused':
      return { text: words.letterRefused(result.reason), personal: true };
    case 'retried': {
      await record(db, asked, 'dead_letter.settled', { id, how: 'retried' });
      const { wake } = result;
      if (wake.kind === 'chat') return { text: words.LETTER_RETRIED, personal: true, chats: [wake.chatKey] };
      return { text: words.LETTER_RETRIED, personal: true, wake: { userKey: wake.userKey, traceId: wake.traceId } };
    }
  }
}

async function resolve({ db }: AnswerParts, id: string, asked: Asked): Promise<Answer> {
  if (!(await resolveDeadLetter(db, id))) return { text: words.noLetter(id), personal: true };
  await record(db, asked, 'dead_letter.settled', { id, how: 'resolved' });
  return { text: words.LETTER_RESOLVED, personal: true };
}

/** A change of a person's role, in the transaction that made it. */
export async function recordRole(
  { db }: AnswerParts,
  asked: Asked,
  change: { readonly person: string; readonly from: string | null; readonly to: string | null },
): Promise<void> {
  await record(db, asked, 'role.changed', change);
}

async function record(
  db: AnswerParts['db'],
  { envelope, role }: Asked,
  kind: 'role.changed' | 'dead_letter.settled',
  data: Readonly<Record<string, string | null>>,
): Promise<void> {
  const nothing = { threadId: null, turnId: null, actionId: null, approvalId: null, policyVersion: null };
  await appendAudit(db, [{ kind, actor: envelope.userKey, ...nothing, data: { role, ...data } }]);
}
