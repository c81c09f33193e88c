import { Role } from '@signalbox/contracts/governance/roles';
import { findNearestName } from '@signalbox/contracts/nearest-name';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { say, sayError } from '@signalbox/messages/say';
import { findUserChannel, toPrivateChat } from '@signalbox/contracts/conversation/chat-key';
import { restoreAccount } from '@signalbox/store/people/vacated-accounts';
import { grantUserRole, findUser } from '@signalbox/store/people/users';
import { mayWriteTo } from '../delivery/outgoing.ts';
import type { GatewayAnswer, AnswerDeps, QuestionContext, Notice } from './question.ts';
import { auditCommand } from './record.ts';

const MAX_NAME_LENGTH = 80;

/** Gives a person a role and notifies them, unless that would remove the last admin. */
export async function allowPerson(
  deps: AnswerDeps,
  asked: QuestionContext,
  { id, role, name }: { readonly id: string; readonly role: Role; readonly name: string | null },
): Promise<GatewayAnswer> {
  const channel = findUserChannel(id);
  if (channel === null) return { text: describeUsage('/allow <id> <role> [name]', role) };
  const isConfirmed = await restoreAccount(deps.db, id);
  const known = await findUser(deps.db, id);
  const change = await grantUserRole(deps.db, { userKey: id, channel, name, role });
  const person = name ?? known?.name ?? id;
  if (change === 'last admin') return refuseLastAdmin(person);
  if (isConfirmed)
    await auditCommand(deps.db, asked, 'role.changed', { person: id, from: null, to: role, by: 'confirmed' });
  const text = say(`people.allowed-${isConfirmed && change === 'same' ? 'added' : change}`, {
    userKey: id,
    name: toPlainName(person),
    role,
  });
  if (change === 'same')
    return { text, peopleChanged: isConfirmed, ...(isConfirmed ? { chats: [toPrivateChat(id)] } : {}) };
  const notices = await createPrivateNotice(deps, id, asked, () => say(`people.notice-${change}`, { role }));
  await auditCommand(deps.db, asked, 'role.changed', { person: id, from: known?.role ?? null, to: role });
  return { text, notices, peopleChanged: true };
}

/** Builds a notice to another person; none when they never wrote to the bot in private. */
export async function createPrivateNotice(
  deps: AnswerDeps,
  userKey: string,
  asked: QuestionContext,
  text: Notice['text'],
): Promise<readonly Notice[]> {
  const chatKey = toPrivateChat(userKey);
  // Admins who change their own role read the answer instead.
  if (userKey === asked.envelope.userKey || !(await mayWriteTo(deps.db, userKey, chatKey))) return [];
  return [{ userKey, chatKey, text }];
}

/** Reads `<role> [name]`. A missing part or an unknown role is null. */
export function parseRole(typed: string): { readonly role: Role | null; readonly name: string | null } {
  const [first = '', ...others] = typed.split(/\s+/);
  const role = Role.safeParse(first.toLowerCase());
  const name = others.join(' ').slice(0, MAX_NAME_LENGTH).trim();
  return { role: role.success ? role.data : null, name: name === '' ? null : name };
}

/** Says how to write a command. `typedRole` is the possibly mistyped role; null for a command without one. */
export function describeUsage(usage: string, typedRole: string | null): string {
  const [typed = ''] = (typedRole ?? '').split(/\s+/);
  const similar = typed === '' ? null : findNearestName(typed, Role.options);
  if (typedRole === null) return say('people.usage', { usage });
  const roles = Role.options.join(', ');
  return similar === null
    ? say('people.usage-with-role', { usage, roles })
    : say('people.usage-with-near-role', { usage, roles, near: similar });
}

export function refuseLastAdmin(name: string): GatewayAnswer {
  return { text: sayError('LAST_ADMIN', { name: toPlainName(name) }) };
}
