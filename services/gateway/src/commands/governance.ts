import { plainName } from '@signalbox/contracts/plain-name';
import type { AuditEvent } from '@signalbox/contracts/governance/audit';
import { roleCovers } from '@signalbox/contracts/governance/roles';
import { approverChats, listPending, listVotes } from '@signalbox/store/governance/approvals';
import { appendAudit } from '@signalbox/store/audit/audit';
import { explainActions, liftFreeze, nameApprovalsChat, openBreakGlass, setFreeze } from './freeze.ts';
import { listGrants, revokeGrant } from '@signalbox/store/governance/grants';
import { sayError } from '@signalbox/contracts/errors';
import { MINUTE_MS } from '@signalbox/contracts/time';
import * as words from './words/governance-words.ts';
import type { Answer, AnswerParts, Asked, Notice } from './question.ts';

export type GovernanceCommand = 'approvals' | 'grants' | 'freeze' | 'unfreeze' | 'why';

/** How long break-glass stays open. */
const BREAK_GLASS_MS = 15 * MINUTE_MS;

/** Carries out a command about approvals, grants, freezes and decisions, in the transaction that admitted it. */
export async function answerGovernance(
  parts: AnswerParts,
  name: GovernanceCommand,
  rest: string,
  asked: Asked,
): Promise<Answer> {
  switch (name) {
    case 'approvals':
      return approvals(parts, rest, asked);
    case 'grants':
      return grants(parts, rest, asked);
    case 'freeze':
      return freeze(parts, rest, asked);
    case 'unfreeze':
      return unfreeze(parts, rest, asked);
    case 'why':
      return why(parts, rest, asked);
  }
}

async function approvals({ db }: AnswerParts, rest: string, asked: Asked): Promise<Answer> {
  const { envelope, role } = asked;
  if (rest === 'here' || rest === 'private') {
    if (!roleCovers(role, 'admin')) return refuse(asked, 'admin');
    if (rest === 'here' && envelope.chatKind !== 'group') return { text: words.ONLY_IN_GROUPS };
    await nameApprovalsChat(db, rest === 'here' ? envelope.chatKey : null);
    await appendAudit(db, [
      event('role.changed', asked, { approvalsChat: rest === 'here' ? envelope.chatKey : 'private' }),
    ]);
    return { text: rest === 'here' ? words.APPROVALS_HERE : words.APPROVALS_PRIVATE };
  }
  const all = roleCovers(role, 'operator');
  const open = await listPending(db, all ? null : envelope.userKey);
  const counted = await Promise.all(
    open.map(async (approval) => ({ approval, votes: await listVotes(db, approval.approvalId) })),
  );
  return { text: words.pending(counted), personal: true };
}

async function grants({ db }: AnswerParts, rest: string, asked: Asked): Promise<Answer> {
  if (!roleCovers(asked.role, 'operator')) return refuse(asked, 'operator');
  const revoke = /^revoke\s+(grant_\w+)$/.exec(rest);
  if (!revoke?.[1]) return { text: words.grants(await listGrants(db)), personal: true };
  const gone = await revokeGrant(db, revoke[1], asked.envelope.userKey);
  if (!gone) return { text: words.noGrant(plainName(revoke[1])), personal: true };
  await appendAudit(db, [event('grant.revoked', asked, { grantId: gone.grantId, tool: gone.tool, of: gone.userKey })]);
  return { text: words.revoked(gone), personal: true };
}

async function freeze({ db }: AnswerParts, rest: string, asked: Asked): Promise<Answer> {
  if (!roleCovers(asked.role, 'operator')) return refuse(asked, 'operator');
  const { userKey, name, at } = asked.envelope;
  const reason = rest.slice(0, 300);
  const isNew = await setFreeze(db, { by: userKey, name, reason, at });
  if (!isNew) return { text: words.FROZEN_ALREADY };
  await appendAudit(db, [event('freeze.set', asked, { reason })]);
  return { text: words.frozen(reason), notices: await toDeciders(db, asked, words.frozenBy(plainName(name), reason)) };
}

async function unfreeze({ db }: AnswerParts, rest: string, asked: Asked): Promise<Answer> {
  if (!roleCovers(asked.role, 'operator')) return refuse(asked, 'operator');
  const { userKey, name } = asked.envelope;
  if (rest === 'break-glass') {
    if (!roleCovers(asked.role, 'admin')) return refuse(asked, 'admin');
    await openBreakGlass(db, userKey, BREAK_GLASS_MS);
    await appendAudit(db, [event('break_glass.opened', asked, { validMs: BREAK_GLASS_MS })]);
    return {
      text: words.glassBroken(BREAK_GLASS_MS),
      notices: await toDeciders(db, asked, words.glassBrokenBy(plainName(name), BREAK_GLASS_MS)),
    };
  }
  const was = await liftFreeze(db);
  if (!was) return { text: words.NOT_FROZEN };
  await appendAudit(db, [event('freeze.lifted', asked, { setBy: was.by, reason: was.reason })]);
  return { text: words.UNFROZEN, notices: await toDeciders(db, asked, words.unfrozenBy(plainName(name))) };
}

async function why({ db }: AnswerParts, rest: string, asked: Asked): Promise<Answer> {
  const id = /^(?:turn|act)_\w+$/.test(rest) ? rest : null;
  if (rest !== '' && id === null) return { text: words.WHY_USAGE, personal: true };
  const any = roleCovers(asked.role, 'operator');
  const found = await explainActions(db, { id, userKey: asked.envelope.userKey, any });
  return { text: words.why(found), personal: true };
}

/** Everybody who decides hears of what concerns all of them, once per chat, and not in the chat where it was said. */
async function toDeciders(db: AnswerParts['db'], asked: Asked, text: string): Promise<readonly Notice[]> {
  const chats = await approverChats(db, 'operator', [asked.envelope.userKey]);
  return chats.filter(({ chatKey }) => chatKey !== asked.envelope.chatKey).map((chat) => ({ ...chat, text }));
}

function refuse(asked: Asked, needed: 'operator' | 'admin'): Answer {
  return { text: sayError('NOT_PERMITTED', { role: asked.role, needed }), personal: true };
}

function event(kind: AuditEvent['kind'], { envelope, role }: Asked, data: AuditEvent['data']): AuditEvent {
  return {
    kind,
    actor: envelope.userKey,
    threadId: null,
    turnId: null,
    actionId: null,
    approvalId: null,
    policyVersion: null,
    data: { role, ...data },
  };
}
