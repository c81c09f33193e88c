import { say } from '@signalbox/messages/say';
import { canWrite } from '../accounts.ts';
import type { Source } from '../sources.ts';
import { refuseForbidden, answerInTime, refuseTooMany, type IngressResponse, type RequestDeps } from './take-event.ts';
import { findEventAnswer } from './event-answer.ts';

/** Answers with the state of an event to the source that sent the event. Never throws. */
export async function answerRead(parts: RequestDeps, source: Source, eventId: string): Promise<IngressResponse> {
  const { pool, limit, log } = parts;
  const waitSeconds = await limit.check(source.name, 'reads');
  if (waitSeconds !== null) return refuseTooMany(waitSeconds);
  return answerInTime(log, async () => {
    if (!(await canWrite(pool, source))) return refuseForbidden();
    const answer = /^evt_[0-9a-z]{20}$/.test(eventId) ? await findEventAnswer(pool, source.name, eventId) : null;
    // Events of other sources look like unknown ones.
    if (answer === null) return { status: 404, body: { error: say('ingress.unknown-event') } };
    return { status: 200, body: { ...answer } };
  });
}
