import type { CodeOutcome } from './invitations.ts';
import { sayError } from '@signalbox/contracts/errors';
import { MINUTE_MS } from '@signalbox/contracts/time';
import * as words from '../words.ts';
import type { Asked, Notice } from './question.ts';

/** What the sender of a code reads. */
export function describeCode(outcome: CodeOutcome, name: string): string {
  switch (outcome.kind) {
    case 'owner':
      return words.owner(name);
    case 'invited':
      return words.invited(name, outcome.role, outcome.wasIn);
    case 'covered':
      return words.alreadyIn(outcome.role);
    case 'mine':
      return words.usedByYou(outcome.role);
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

/** The author of an invitation reads who used it. */
export function noticeOfUse(outcome: CodeOutcome, guest: Asked['envelope']): readonly Notice[] {
  if (outcome.kind !== 'invited') return [];
  const text = words.invitationUsed({ name: guest.name, userKey: guest.userKey, role: outcome.role });
  return [{ userKey: null, chatKey: outcome.inviterChat, text }];
}
