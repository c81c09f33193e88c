import { cleanName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import { redactText } from '@signalbox/safety/redact/redact';
import type { GateDecision } from '@signalbox/store/governance/gates';
import type { GateAnswer } from './gate-driver.ts';

const MAX_REASON = 200;
const MAX_NAME = 40;

/** Turns the decision into the answer for the forge; null while nobody has decided. Only what was carried out is approved. Pure. */
export function toGateAnswer({ status, isOver, approvalId, reason, names }: GateDecision): GateAnswer | null {
  const request = quote(approvalId ?? '–', MAX_NAME);
  const people = names.map((name) => quote(name, MAX_NAME)).join(', ') || '–';
  const reject = (key: 'expired' | 'void' | 'denied' | 'late'): GateAnswer => ({
    state: 'rejected',
    comment: say(`gate.ended-${key}`, { request }, 'en'),
  });
  switch (status) {
    case 'done':
      return { state: 'approved', comment: say('gate.comment-approved', { people, request }, 'en') };
    case 'waiting':
    case 'started':
      return null;
    case 'rejected': {
      const words = quote(reason ?? '', MAX_REASON);
      const given = { hasReason: reason ? 'yes' : 'no', reason: words };
      return { state: 'rejected', comment: say('gate.comment-rejected', { people, request, ...given }, 'en') };
    }
    case 'expired':
      return reject('expired');
    case 'denied':
      return reject('denied');
    case null:
      // The turn ended without asking anybody: it was refused before, or it failed.
      return isOver ? reject('late') : null;
    default:
      return reject('void');
  }
}

/** Quotes words of people as code, in which a forge makes no mention, link or image. */
function quote(text: string, length: number): string {
  const words = redactText(cleanName(text)).replaceAll('`', "'").slice(0, length).trim();
  return `\`${words === '' ? '–' : words.toWellFormed()}\``;
}
