import {
  listDeadLetters,
  resolveDeadLetter,
  retryDeadLetterWithin,
} from '@signalbox/store/conversation/dead-letter-review';
import { readOverview } from '@signalbox/store/conversation/overview';
import { listOpenIncidents } from '@signalbox/store/deploy/incidents';
import * as words from '../admin-words.ts';
import type { ChatCommand } from '../chat-command.ts';
import type { Answer, AnswerParts, Asked } from '../question.ts';
import { recordCommand } from '../record.ts';

/** Dead letters that a message names. */
const LETTERS = 5;

/** `/queues`: what waits, runs and is stuck; `retry <id>` and `resolve <id>` settle a dead letter. */
export default {
  name: 'queues',
  who: 'admin',
  personal: true,
  menu: { place: 70, description: 'menu.queues' },
  help: null,
  answer: async ({ db }, typed, asked) => {
    const [verb = '', id = '', ...more] = typed.split(/\s+/);
    if (verb === '') {
      const letters = await listDeadLetters(db, { settled: false, limit: LETTERS });
      return { text: words.queues(await readOverview(db, null), letters, await listOpenIncidents(db)) };
    }
    if ((verb !== 'retry' && verb !== 'resolve') || id === '' || more.length > 0) return { text: words.QUEUES_USAGE };
    return verb === 'retry' ? retry(db, id, asked) : resolve(db, id, asked);
  },
} satisfies ChatCommand;

async function retry(db: AnswerParts['db'], id: string, asked: Asked): Promise<Answer> {
  const result = await retryDeadLetterWithin(db, id);
  switch (result.kind) {
    case 'missing':
      return { text: words.noLetter(id) };
    case 'settled':
      return { text: words.LETTER_SETTLED };
    case 'refused':
      return { text: words.letterRefused(result.reason) };
    case 'retried': {
      await recordCommand(db, asked, 'dead_letter.settled', { role: asked.role, id, how: 'retried' });
      const { wake } = result;
      if (wake.kind === 'chat') return { text: words.LETTER_RETRIED, chats: [wake.chatKey] };
      return { text: words.LETTER_RETRIED, wake: { userKey: wake.userKey, traceId: wake.traceId } };
    }
  }
}

async function resolve(db: AnswerParts['db'], id: string, asked: Asked): Promise<Answer> {
  if (!(await resolveDeadLetter(db, id))) return { text: words.noLetter(id) };
  await recordCommand(db, asked, 'dead_letter.settled', { role: asked.role, id, how: 'resolved' });
  return { text: words.LETTER_RESOLVED };
}
