import { plainName } from '@signalbox/contracts/plain-name';
import type { Role } from '@signalbox/contracts/governance/roles';
import type { EditedState, LaneStatus } from './admission/inbox.ts';
import type { Invitation } from './commands/invitations.ts';
import type { User } from '@signalbox/store/people/users';
import { sayDuration } from '@signalbox/messages/duration';
import { describeKind } from '@signalbox/safety/redact/kinds';
import type { SecretName } from '@signalbox/store/secrets';
import type { HiddenSecret } from '@signalbox/safety/secrets/hide';
import type { NotText } from './channels/channel.ts';

/*
 * Everything the gateway says by itself. Failures have their sentences in the error catalog.
 * Markdown, as in all outgoing messages.
 */

/** Said above a message that may have arrived before. */
export const REPEATED = '(repeated, because I could not see whether this arrived)';

/** What cannot be read, in the middle of a sentence. */
export const NOT_TEXT: Readonly<Record<NotText, string>> = {
  sticker: 'a sticker',
  poll: 'a poll',
  place: 'a place on the map',
  contact: 'a contact',
  story: 'a story',
  checklist: 'a checklist',
  game: 'a game',
  other: 'this kind of message',
};

const AGAIN = 'To change it, send it again as a new message.';

/** Said when a message was edited too late, by what had become of it. */
export const EDITED: Readonly<Record<EditedState, string>> = {
  working: `I am working on that message already, as it was. ${AGAIN}`,
  answered: `I have answered that message already, as it was. ${AGAIN}`,
  waiting: `That message waits as it was: I cannot put this into it. ${AGAIN}`,
  stopped: 'That message was stopped, so its edit changes nothing. Send it again as a new message.',
  refused: 'I did not take that message, so its edit changes nothing. Send it again as a new message.',
  failed: 'I could not handle that message, and its edit changes nothing. Send it again as a new message.',
};

/** Said to the sender of secrets that we keep for a while. */
export function secretsFound(found: readonly HiddenSecret[]): string {
  const named = found.map(({ kind, handle }) => `the ${describeKind(kind)} as \`${handle}\``);
  const what = named.length === 1 ? (named[0] ?? '') : `${named.slice(0, -1).join(', ')} and ${named.at(-1) ?? ''}`;
  const it = found.length === 1 ? 'it' : 'them';
  return [
    `I took ${what} out of what you sent: the model does not see ${it}, and I forget ${it} after a day.`,
    SHOWN,
  ].join(' ');
}

export const SECRET_USAGE = [
  '`/secret set db-password the-value` keeps a secret for you, in a private chat',
  '`/secret list` shows the names of what I keep',
  '`/secret delete db-password` forgets it',
].join('\n\n');

/** Said in a group, where a value was shown to everybody. */
export const SECRET_EXPOSED =
  'I did not keep that: everybody here has seen it, so change it. I am deleting the message. Write `/secret set` to me in private.';

export const secretKept = (handle: string, isNew: boolean): string =>
  [
    `I ${isNew ? 'keep it' : 'replaced the value and keep it'} as \`${handle}\`. Use that name when you ask me for something.`,
    `No model is shown the value, and neither is anybody else. ${SHOWN}`,
  ].join(' ');

export const secretName = (problem: string): string => `I did not keep that: ${problem}. ${SHOWN}`;

export const secretsFull = (most: number): string =>
  `I did not keep that: I keep ${most} secrets of one person. Delete one with \`/secret delete\`. ${SHOWN}`;

export const secretForgotten = (handle: string, wasThere: boolean): string =>
  wasThere ? `I forgot \`${plainCode(handle)}\`.` : `I keep no secret named \`${plainCode(handle)}\` for you.`;

/** Names and times, never values. `person`: another person, whom an admin asks about. */
export function secretList(secrets: readonly SecretName[], person: string | null, now = Date.now()): string {
  const whose = person === null ? 'for you' : `for ${plainName(person)}`;
  if (secrets.length === 0) return `I keep no secrets ${whose}.`;
  const lines = secrets.slice(0, MAX_PEOPLE).map(({ handle, expiresAt, usedAt }) => {
    const left = expiresAt === null ? '' : `, forgotten in ${sayDuration(expiresAt.getTime() - now)}`;
    const used = usedAt === null ? ', never used' : `, used ${sayDuration(now - usedAt.getTime())} ago`;
    return `- \`${plainCode(handle)}\`${used}${left}`;
  });
  const more = secrets.length - lines.length;
  return [`I keep ${whose}:`, '', ...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

const plainCode = (text: string): string => text.replace(/[`\s]+/g, ' ').slice(0, 80);

/** Whether a message can be taken away is for the channel to say, and it may say so too late. */
const SHOWN = 'I am deleting your message; if you still see it, please delete it.';

/** Said above what is for one person of a group and could only be sent in private. Not longer than the line above. */
export const FROM_GROUP = '(for you alone, instead of in the group)';

/** Said in a group instead of something that is for one person, whom we may not write to. */
export const WRITE_ME_FIRST =
  'My answer is for you alone, and I may not write to you in private yet. Open a chat with me, press Start, and ask again.';

/** The toast after a press. */
export const pressed = (label: string): string => `✓ ${label}`;

export const STOPPING = 'Stopping…';
/** Shown for a moment to the person who pressed Stop under a followed log. */
export const LOG_STOPS = 'Stopping.';
export const LOG_OVER = 'It has ended, or somebody else follows it.';
export const NOTHING_RUNS = 'Nothing is running.';

export const owner = (name: string): string =>
  `Welcome, ${plainName(name)}. You are the admin now. Say what you need, or send /help.`;

export const welcome = (name: string): string =>
  [
    `Hello ${plainName(name)}, I am Signalbox. I look after your projects and servers; tell me in plain words what you need.`,
    '',
    'For example:',
    '- create a project called shop',
    '- deploy shop 1.4.2 to staging',
    '- what runs on staging?',
    '',
    '/help shows more.',
  ].join('\n');

export const whoami = (person: { readonly name: string; readonly userKey: string; readonly role: Role }): string =>
  `You are ${plainName(person.name)}, id ${person.userKey}, role ${person.role}.`;

/** One line per thing that is going on. */
export function status(now: LaneStatus): string {
  const lines = [activity(now)];
  const waiting = now.running ? now.open - 1 : now.open;
  if (waiting > 0) lines.push(waiting === 1 ? '1 message is waiting.' : `${waiting} messages are waiting.`);
  if (now.thread) {
    const title = now.thread.title === null ? '' : ` (${plainName(now.thread.title)})`;
    lines.push(
      `Conversation: \`${now.thread.threadId}\`${title}${now.thread.awaiting ? ', waiting for your answer' : ''}.`,
    );
  }
  for (const job of now.jobs) lines.push(`Job ${plainName(job.job)}: ${job.status}, ${sayDuration(job.ageMs)}.`);
  return lines.join('\n\n');
}

function activity(now: LaneStatus): string {
  if (!now.running) return NOTHING_RUNS;
  return now.oldestMs === null ? 'I am working.' : `I have been working for ${sayDuration(now.oldestMs)}.`;
}

const as = (role: Role): string => (role === 'admin' || role === 'operator' ? `an ${role}` : `a ${role}`);

export const ONLY_IN_PRIVATE =
  'Write that to me in private: an invitation is for one person, and here everybody would see it.';

/** What a person reads whose code let them in, or raised their role. */
export const invited = (name: string, role: Role, wasIn: boolean): string =>
  wasIn
    ? `Thank you, ${plainName(name)}. You are ${as(role)} now.`
    : `Welcome, ${plainName(name)}. You may speak here now, as ${as(role)}. Say what you need, or send /help.`;

export const alreadyIn = (role: Role): string =>
  `You are ${as(role)} already, so the code was not used up. Pass it on to whoever it is for.`;

export const usedByYou = (role: Role): string => `You have used that code already: you are ${as(role)}.`;

interface Invited {
  readonly role: Role;
  readonly name: string | null;
  readonly validMs: number;
}

/** The only message that holds the code. */
export function invitation(made: Invited & { readonly code: string; readonly link: string | null }): string {
  return [
    `${title(made)}, valid once and for ${sayDuration(made.validMs)}:`,
    '',
    `\`${made.code}\``,
    ...(made.link === null ? [] : ['', made.link]),
    '',
    `Pass it on in private: whoever opens the link or sends me the code is in.`,
  ].join('\n');
}

/** What the history keeps of it. */
export const invitationMade = (made: Invited): string =>
  `${title(made)}, valid once and for ${sayDuration(made.validMs)}. (The code was shown once and is not kept.)`;

const title = ({ role, name }: Pick<Invited, 'role' | 'name'>): string =>
  `Invitation${name === null ? '' : ` for ${plainName(name)}`} as ${as(role)}`;

type Named = Pick<User, 'userKey' | 'name'>;

export const invitationUsed = (guest: Named & { readonly role: Role }): string =>
  `${plainName(guest.name)} (id ${guest.userKey}) used your invitation and may speak here now, as ${as(guest.role)}.`;

export const allowed = (person: Named, role: Role, change: 'added' | 'changed' | 'same'): string => {
  const who = `${plainName(person.name)} (id ${person.userKey})`;
  if (change === 'same') return `${who} is ${as(role)} already; nothing was changed.`;
  return change === 'added' ? `${who} may speak here now, as ${as(role)}.` : `${who} is ${as(role)} now.`;
};

export const denied = (person: Named): string =>
  `${plainName(person.name)} (id ${person.userKey}) is a stranger again. What ran or waited for them was stopped.`;

export const wasStranger = (userKey: string): string => `${plainName(userKey)} has no role; nothing was changed.`;

/** What a person reads whose role an admin has changed. */
export const youAre = (role: Role, isNew: boolean): string =>
  isNew
    ? `An admin let you in: you may speak here now, as ${as(role)}. Say what you need, or send /help.`
    : `An admin changed your role: you are ${as(role)} now.`;

export const youAreOut = (userKey: string): string =>
  `An admin took your role away, so I no longer work for you. If that is a mistake, ask for an invitation (your id is ${userKey}).`;

/** More than this does not fit a phone; operators have the whole list at the terminal. */
const MAX_PEOPLE = 50;

/** Who may speak, and how many invitations are open. */
export function people(users: readonly User[], invitations: readonly Invitation[], now = Date.now()): string {
  const shown = users
    .slice(0, MAX_PEOPLE)
    .map(({ name, userKey, role }) => `- ${plainName(name)}, id ${userKey}: ${role}`);
  const more = users.length - shown.length;
  const open = invitations
    .slice(0, MAX_PEOPLE)
    .map(({ role, name, expiresAt }) => `- ${title({ role, name })}, ${sayDuration(expiresAt.getTime() - now)} left`);
  return [
    users.length === 1 ? 'One person may speak here:' : `${users.length} people may speak here:`,
    '',
    ...shown,
    ...(more > 0 ? [`- and ${more} more`] : []),
    ...(open.length > 0 ? ['', 'Open invitations:', '', ...open] : []),
  ].join('\n');
}

/** How a command is written. */
export const usage = (
  written: string,
  role: { readonly roles: readonly Role[]; readonly near: string | null } | null,
): string =>
  [
    `Write it as \`${written}\`.`,
    ...(role === null ? [] : [`Roles are ${role.roles.join(', ')}.`]),
    ...(role?.near ? [`Did you mean ${role.near}?`] : []),
  ].join(' ');
