import type { CodeOutcome } from './invitations.ts';
import { toPrivateChat } from '@signalbox/contracts/conversation/chat-key';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { say, sayError } from '@signalbox/messages/say';
import type { QuestionContext, Notice } from './question.ts';

export function describeCode(outcome: CodeOutcome, name: string): string {
  switch (outcome.kind) {
    case 'owner':
      return say('people.owner', { name: toPlainName(name) });
    case 'invited':
      return say(outcome.wasIn ? 'people.promoted' : 'people.invited', { name: toPlainName(name), role: outcome.role });
    case 'linked':
      return say('people.linked', { owner: toPlainName(outcome.owner.name), role: outcome.role });
    case 'has-role':
      return say('people.link-has-role', { role: outcome.role });
    case 'covered':
      return say('people.code-not-needed', { role: outcome.role });
    case 'mine':
      return say('people.code-used-by-you', { role: outcome.role });
    case 'used':
      return sayError('CODE_USED', {});
    case 'expired':
      return sayError('CODE_EXPIRED', {});
    case 'unknown':
      return sayError('CODE_INVALID', {});
    case 'limited':
      return sayError('CODE_LIMIT', { minutes: String(Math.ceil(outcome.waitMs / MINUTE_MS)) });
  }
}

export function createCodeUseNotice(outcome: CodeOutcome, guest: QuestionContext['envelope']): readonly Notice[] {
  if (outcome.kind === 'linked') {
    const { userKey } = outcome.owner;
    const used = (): string => say('people.link-used', { name: toPlainName(guest.name), userKey: guest.userKey });
    return [{ userKey, chatKey: toPrivateChat(userKey), text: used }];
  }
  if (outcome.kind !== 'invited') return [];
  const text = (): string =>
    say('people.invitation-used', { name: toPlainName(guest.name), userKey: guest.userKey, role: outcome.role });
  return [{ userKey: null, chatKey: outcome.inviterChat, text }];
}
