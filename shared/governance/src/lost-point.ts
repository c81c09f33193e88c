import { say } from '@signalbox/messages/say';
import type { LostPoint } from '@signalbox/store/governance/approvals';

/** Says why nobody can usefully decide about a request; `unheard`: nobody could read the result in its chat. */
export function sayLostPoint(why: LostPoint | 'unheard'): string {
  return say(SENTENCES[why]);
}

const SENTENCES = {
  unheard: 'card.reason-unheard',
  requester: 'card.lost-requester',
  frozen: 'card.lost-frozen',
  project: 'card.lost-project',
  server: 'card.lost-server',
  deployed: 'card.lost-deployed',
  moved: 'card.lost-moved',
  gone: 'card.lost-gone',
} as const satisfies Record<LostPoint | 'unheard', string>;
