import type { ChangeResult } from '@signalbox/contracts/engineering/change';
import { say } from '@signalbox/messages/say';

/** Says how a change stands when its job ends. */
export function sayChange({ state, changeId, project, title, ran, question, problem }: ChangeResult): string {
  return say('engineering.end', {
    state,
    change: String(changeId),
    project,
    title: title ?? '',
    ran: ran ?? 'unknown',
    question: question ?? '',
    problem: problem ?? '',
  });
}
