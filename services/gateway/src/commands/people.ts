import { plainName } from '@signalbox/contracts/plain-name';
import { Role, roleCovers } from '@signalbox/contracts/governance/roles';
import { mayWriteTo } from '../delivery/outgoing.ts';
import { stopLane } from '../admission/inbox.ts';
import { createInvitation, INVITATION_MS, listInvitations } from './invitations.ts';
import { allowUser, channelOfUser, denyUser, findUser, listUsers } from '@signalbox/store/people/users';
import { sayError } from '@signalbox/contracts/errors';
import { nearestName } from '@signalbox/contracts/nearest-name';
import type { AdminCommand } from './command.ts';
import * as adminWords from './words/admin-words.ts';
import * as words from '../words.ts';
import { queues, recordRole, users } from './admin.ts';
import type { Answer, AnswerParts, Asked, Notice } from './question.ts';

/** What a person's name may be in the words of an admin. */
const NAME_LENGTH = 80;

/**
 * Carries out a command that takes an admin; others read that it does. Everything happens in the transaction that
 * admitted the command, so that an update which comes twice invites, lets in and sends away once.
 */
export async function answerAdmin(parts: AnswerParts, name: AdminCommand, rest: string, asked: Asked): Promise<Answer> {
  if (!roleCovers(asked.role, 'admin'))
    return { text: sayError('NOT_PERMITTED', { role: asked.role, needed: 'admin' }), personal: true };
  switch (name) {
    case 'invite':
      return invite(parts, rest, asked);
    case 'people':
      return { text: words.people(await listUsers(parts.db), await listInvitations(parts.db)), personal: true };
    case 'users':
      return users(parts);
    case 'queues':
      return queues(parts, rest, asked);
    case 'role':
      return changeRole(parts, rest, asked);
    case 'allow':
      return allow(parts, rest, asked);
    case 'deny':
      return deny(parts, rest, asked);
  }
}

async function invite({ db, channel }: AnswerParts, rest: string, { envelope }: Asked): Promise<Answer> {
  // Every reader of the code may use it.
  if (envelope.chatKind === 'group') return { text: words.ONLY_IN_PRIVATE, personal: true };
  const { role, name } = readRole(rest);
  if (role === null) return { text: describeUsage('/invite <role> [name]', rest) };
  const code = await createInvitation(db, { role, name, invitedBy: envelope.userKey, chatKey: envelope.chatKey });
  const invitation = { role, name, validMs: INVITATION_MS };
  return {
    text: words.invitation({ ...invitation, code, link: channel.inviteLink(code) }),
    afterwards: words.invitationMade(invitation),
  };
}

async function allow(parts: AnswerParts, rest: string, asked: Asked): Promise<Answer> {
  const [id = '', ...others] = rest.split(/\s+/);
  const { role, name } = readRole(others.join(' '));
  const channel = channelOfUser(id);
  if (channel === null || role === null)
    return { text: describeUsage('/allow <id> <role> [name]', others[0] ?? ''), personal: true };
  const known = await findUser(parts.db, id);
  const change = await allowUser(parts.db, { userKey: id, channel, name, role });
  const person = { userKey: id, name: name ?? known?.name ?? id };
  if (change === 'last admin') return lastAdmin(person.name);
  const notices = change === 'same' ? [] : await noticeTo(parts, id, asked, words.youAre(role, change === 'added'));
  if (change !== 'same') await recordRole(parts, asked, { person: id, from: known?.role ?? null, to: role });
  return { text: words.allowed(person, role, change), personal: true, notices, peopleChanged: change !== 'same' };
}

async function deny(parts: AnswerParts, rest: string, asked: Asked): Promise<Answer> {
  const [id = ''] = rest.split(/\s+/);
  if (channelOfUser(id) === null) return { text: describeUsage('/deny <id>', null), personal: true };
  const known = await findUser(parts.db, id);
  const change = await denyUser(parts.db, id);
  const person = { userKey: id, name: known?.name ?? id };
  if (change === 'last admin') return lastAdmin(person.name);
  if (change === 'stranger') return { text: words.wasStranger(id), personal: true };
  await recordRole(parts, asked, { person: id, from: known?.role ?? null, to: null });
  // What runs for them ends, what waits is voided.
  const stopped = await stopLane(parts.db, id, asked.inboxId);
  return {
    text: words.denied(person),
    personal: true,
    notices: await noticeTo(parts, id, asked, words.youAreOut(id)),
    stops: stopped ? [id] : [],
    peopleChanged: true,
  };
}

/** The same for a known person, by name or id. */
async function changeRole(parts: AnswerParts, rest: string, asked: Asked): Promise<Answer> {
  const typed = rest.split(/\s+/);
  const role = Role.safeParse(typed.at(-1)?.toLowerCase());
  const who = typed.slice(0, -1).join(' ');
  if (!role.success || who === '')
    return { text: describeUsage('/role <person> <role>', typed.at(-1) ?? ''), personal: true };
  const all = await listUsers(parts.db);
  const byId = all.filter(({ userKey }) => userKey === who);
  const meant = byId.length > 0 ? byId : all.filter(({ name }) => name.toLowerCase() === who.toLowerCase());
  const [person] = meant;
  if (!person || meant.length > 1) return { text: adminWords.whichPerson(who, meant), personal: true };
  return allow(parts, `${person.userKey} ${role.data}`, asked);
}

/** Tells another person, if we may write to them: they must have written to us in private once. */
async function noticeTo(parts: AnswerParts, userKey: string, asked: Asked, text: string): Promise<readonly Notice[]> {
  const chatKey = parts.channel.privateChat(userKey);
  // Admins who change their own role read the answer.
  if (userKey === asked.envelope.userKey || !(await mayWriteTo(parts.db, userKey, chatKey))) return [];
  return [{ userKey, chatKey, text }];
}

function readRole(rest: string): { readonly role: Role | null; readonly name: string | null } {
  const [first = '', ...others] = rest.split(/\s+/);
  const role = Role.safeParse(first.toLowerCase());
  const name = others.join(' ').slice(0, NAME_LENGTH).trim();
  return { role: role.success ? role.data : null, name: name === '' ? null : name };
}

/** How the command is written. `typedRole` is what stands where the role should: perhaps only mistyped. */
function describeUsage(usage: string, typedRole: string | null): string {
  const [typed = ''] = (typedRole ?? '').split(/\s+/);
  const near = typed === '' ? null : nearestName(typed, Role.options);
  return words.usage(usage, typedRole === null ? null : { roles: Role.options, near });
}

function lastAdmin(name: string): Answer {
  return { text: sayError('LAST_ADMIN', { name: plainName(name) }), personal: true };
}
