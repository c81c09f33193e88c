import { say } from '@signalbox/messages/say';
import { mayWrite } from '../accounts.ts';
import type { Source } from '../sources.ts';
import { forbidden, inTime, tooMany, type Answered, type RequestParts } from '../receive/take-event.ts';
import { findEventAnswer } from './event-answer.ts';

/** Answers what became of an event, to the source that sent it. Never throws. */
export async function answerRead(parts: RequestParts, source: Source, eventId: string): Promise<Answered> {
  const { pool, limit, log } = parts;
  const waitSeconds = await limit.check(source.name, 'reads');
  if (waitSeconds !== null) return tooMany(waitSeconds);
  return inTime(log, async () => {
    if (!(await mayWrite(pool, source))) return forbidden();
    const answer = /^evt_[0-9a-z]{20}$/.test(eventId) ? await findEventAnswer(pool, source.name, eventId) : null;
    // Those of other sources are as unknown as those that never were.
    if (answer === null) return { status: 404, body: { error: say('ingress.unknown-event') } };
    return { status: 200, body: { ...answer } };
  });
}
