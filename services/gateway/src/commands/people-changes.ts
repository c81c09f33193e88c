import { Role } from '@signalbox/contracts/governance/roles';
import { nearestName } from '@signalbox/contracts/nearest-name';
import { plainName } from '@signalbox/contracts/plain-name';
import { say, sayError } from '@signalbox/messages/say';
import { findUserChannel, toPrivateChat } from '@signalbox/contracts/conversation/chat-key';
import { restoreAccount } from '@signalbox/store/people/vacated-accounts';
import { allowUser, findUser } from '@signalbox/store/people/users';
import { mayWriteTo } from '../delivery/outgoing.ts';
import type { Answer, AnswerParts, Asked, Notice } from './question.ts';
import { recordCommand } from './record.ts';

/** What a person's name may be in the words of an admin. */
const NAME_LENGTH = 80;

/** Gives the person with this id a role, and says so to both; unless they are the last admin. */
export async function allowPerson(
  parts: AnswerParts,
  asked: Asked,
  { id, role, name }: { readonly id: string; readonly role: Role; readonly name: string | null },
): Promise<Answer> {
  const channel = findUserChannel(id);
  if (channel === null) return { text: describeUsage('/allow <id> <role> [name]', role) };
  const isConfirmed = await restoreAccount(parts.db, id);
  const known = await findUser(parts.db, id);
  const change = await allowUser(parts.db, { userKey: id, channel, name, role });
  const person = name ?? known?.name ?? id;
  if (change === 'last admin') return refuseLastAdmin(person);
  if (isConfirmed)
    await recordCommand(parts.db, asked, 'role.changed', { person: id, from: null, to: role, by: 'confirmed' });
  const text = say(`people.allowed-${isConfirmed && change === 'same' ? 'added' : change}`, {
    userKey: id,
    name: plainName(person),
    role,
  });
  if (change === 'same')
    return { text, peopleChanged: isConfirmed, ...(isConfirmed ? { chats: [toPrivateChat(id)] } : {}) };
  const notices = await noticeTo(parts, id, asked, () => say(`people.notice-${change}`, { role }));
  await recordCommand(parts.db, asked, 'role.changed', { person: id, from: known?.role ?? null, to: role });
  return { text, notices, peopleChanged: true };
}

/** A notice to another person, if we may write to them: they must have written to us in private once. */
export async function noticeTo(
  parts: AnswerParts,
  userKey: string,
  asked: Asked,
  text: Notice['text'],
): Promise<readonly Notice[]> {
  const chatKey = toPrivateChat(userKey);
  // Admins who change their own role read the answer.
  if (userKey === asked.envelope.userKey || !(await mayWriteTo(parts.db, userKey, chatKey))) return [];
  return [{ userKey, chatKey, text }];
}

/** Reads `<role> [name]`; what is missing or no role is null. */
export function readRole(typed: string): { readonly role: Role | null; readonly name: string | null } {
  const [first = '', ...others] = typed.split(/\s+/);
  const role = Role.safeParse(first.toLowerCase());
  const name = others.join(' ').slice(0, NAME_LENGTH).trim();
  return { role: role.success ? role.data : null, name: name === '' ? null : name };
}

/** How the command is written. `typedRole` is what stands where the role should: perhaps only mistyped. */
export function describeUsage(usage: string, typedRole: string | null): string {
  const [typed = ''] = (typedRole ?? '').split(/\s+/);
  const near = typed === '' ? null : nearestName(typed, Role.options);
  if (typedRole === null) return say('people.usage', { usage });
  const roles = Role.options.join(', ');
  return near === null
    ? say('people.usage-with-role', { usage, roles })
    : say('people.usage-with-near-role', { usage, roles, near });
}

/** The answer to a change that would leave the product without an admin. */
export function refuseLastAdmin(name: string): Answer {
  return { text: sayError('LAST_ADMIN', { name: plainName(name) }) };
}
