import { toPlainName } from '@signalbox/contracts/plain-name';
import {
  listDeadLetters,
  resolveDeadLetter,
  retryDeadLetter,
  type DeadLetterRow,
} from '@signalbox/store/conversation/dead-letter-review';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { readWorkOverview, type WorkOverview } from '@signalbox/store/turns/overview';
import { listOpenIncidents, type Incident } from '@signalbox/store/deploy/incidents';
import type { ChatCommand } from '../chat-command.ts';
import type { GatewayAnswer, AnswerDeps, QuestionContext } from '../question.ts';
import { auditCommand } from '../record.ts';

const MAX_LISTED = 5;

/** `/queues` shows waiting, running and stuck work; `retry <id>` and `resolve <id>` settle a dead letter. */
export default {
  name: 'queues',
  who: 'admin',
  personal: true,
  menu: { place: 70, description: 'menu.queues' },
  help: null,
  answer: async ({ db }, typed, asked) => {
    const [verb = '', id = '', ...more] = typed.split(/\s+/);
    if (verb === '') {
      const letters = await listDeadLetters(db, { settled: false, limit: MAX_LISTED });
      return { text: describeQueues(await readWorkOverview(db, null), letters, await listOpenIncidents(db)) };
    }
    if ((verb !== 'retry' && verb !== 'resolve') || id === '' || more.length > 0)
      return { text: say('control.queues-usage') };
    return verb === 'retry' ? retryLetter(db, id, asked) : resolveLetter(db, id, asked);
  },
} satisfies ChatCommand;

async function retryLetter(db: AnswerDeps['db'], id: string, asked: QuestionContext): Promise<GatewayAnswer> {
  const result = await retryDeadLetter(db, id);
  switch (result.kind) {
    case 'missing':
      return answerUnknownLetter(id);
    case 'settled':
      return { text: say('control.letter-settled') };
    case 'refused':
      return { text: say('control.letter-refused', { reason: result.reason }) };
    case 'retried': {
      await auditCommand(db, asked, 'dead_letter.settled', { id, how: 'retried' });
      const { wake } = result;
      const text = say('control.letter-retried');
      if (wake.kind === 'chat') return { text, chats: [wake.chatKey] };
      return { text, wake: { userKey: wake.userKey, traceId: wake.traceId } };
    }
  }
}

async function resolveLetter(db: AnswerDeps['db'], id: string, asked: QuestionContext): Promise<GatewayAnswer> {
  if (!(await resolveDeadLetter(db, id))) return answerUnknownLetter(id);
  await auditCommand(db, asked, 'dead_letter.settled', { id, how: 'resolved' });
  return { text: say('control.letter-resolved') };
}

function answerUnknownLetter(id: string): GatewayAnswer {
  return { text: say('control.letter-unknown', { id: toPlainName(id.slice(0, 80)) }) };
}

function describeQueues(
  { messagesOpen, oldestMessageMs, outboxPending, oldestReplyMs, turns, jobs, parkedChats, deadLetters }: WorkOverview,
  letters: readonly DeadLetterRow[],
  incidents: readonly Incident[],
  now = Date.now(),
): string {
  const age = (ms: number | null): string => (ms === null ? 'none' : sayDuration(ms));
  const open = jobs
    .filter(({ status }) => status === 'queued' || status === 'running')
    .map(({ job, status, count }) => `${count} × ${job} ${status}`);
  const failed = jobs.filter(({ status }) => status === 'failed').reduce((sum, { count }) => sum + count, 0);
  const served = turns
    .slice(0, MAX_LISTED)
    .map(({ name, userKey, waiting }) => say('control.lane', { name: toPlainName(name ?? userKey), waiting }));
  const broken = incidents
    .slice(0, MAX_LISTED)
    .map(({ subject, kind }) => `${toPlainName(subject.replace(/^service:/, ''))} (${kind})`);
  return [
    say('control.in', { count: messagesOpen, oldest: age(oldestMessageMs) }),
    say('control.out', { count: outboxPending, oldest: age(oldestReplyMs), parked: parkedChats.length }),
    say('control.lanes', { count: turns.length, names: served.join(', '), more: turns.length - served.length }),
    say('control.jobs', { count: open.length, jobs: open.join(', '), failed }),
    say('control.broken', { count: broken.length, incidents: broken.join(', ') }),
    say('control.letters', { count: deadLetters }),
    ...letters.map(({ id, source, reason, createdAt }) => {
      const ago = sayDuration(now - createdAt.getTime());
      return say('control.letter', { id, source, ago, reason: toPlainName(reason.slice(0, 120)) });
    }),
    ...(letters.length > 0 ? ['', say('control.letters-usage')] : []),
  ].join('\n');
}
