import type { Role } from '@signalbox/shared/contracts/roles';
import type { LaneStatus } from '@signalbox/shared/db/inbox';
import { inWords } from '@signalbox/shared/time';

/*
 * Everything the gateway says by itself. Failures have their sentences in the error catalog.
 * Markdown, as in all outgoing messages.
 */

/** The commands that the channel offers while a person types. */
export const COMMANDS: readonly { readonly command: string; readonly description: string }[] = [
  { command: 'new', description: 'Start a new topic' },
  { command: 'stop', description: 'Stop what I am doing for you' },
  { command: 'status', description: 'What is going on' },
  { command: 'help', description: 'What I can do' },
  { command: 'whoami', description: 'Your name, id and role' },
];

/** Said above a message of which nobody knows whether it arrived before. */
export const REPEATED = '(repeated, because I could not see whether this arrived)';

/** The toast after a press. */
export const pressed = (label: string): string => `✓ ${label}`;

export const STOPPING = 'Stopping…';
export const NOTHING_RUNS = 'Nothing is running.';

export const owner = (name: string): string =>
  `Welcome, ${plain(name)}. You are the admin now. Say what you need, or send /help.`;

export const welcome = (name: string): string =>
  [
    `Hello ${plain(name)}, I am Signalbox. I look after your projects and servers; tell me in plain words what you need.`,
    '',
    'For example:',
    '- create a project called shop',
    '- allocate a port for shop',
    '',
    '/help shows more.',
  ].join('\n');

/** What a person of this role can ask for. */
export function help(role: Role): string {
  return [
    'Tell me in plain words what you need. If something is missing, I ask.',
    '',
    ...EXAMPLES[role].map((example) => `- ${example}`),
    '',
    '/new starts a new topic',
    '/stop stops what I am doing for you',
    '/status shows what is going on',
    '/whoami shows your id and role',
  ].join('\n');
}

const LOOK = ['list the projects', 'what is the status of shop?', 'how do I add a capability?'];
const CHANGE = ['create a project called shop', 'allocate a port for shop', 'what is the status of shop?'];
const EXAMPLES: Readonly<Record<Role, readonly string[]>> = {
  viewer: LOOK,
  developer: CHANGE,
  operator: [...CHANGE, 'find a server with 2 GB of memory'],
  admin: [...CHANGE, 'find a server with 2 GB of memory'],
};

export const whoami = (person: { readonly name: string; readonly userKey: string; readonly role: Role }): string =>
  `You are ${plain(person.name)}, id ${person.userKey}, role ${person.role}.`;

/** One line per thing that is going on. */
export function status(now: LaneStatus): string {
  const lines = [activity(now)];
  const waiting = now.running ? now.open - 1 : now.open;
  if (waiting > 0) lines.push(waiting === 1 ? '1 message is waiting.' : `${waiting} messages are waiting.`);
  if (now.thread) {
    const title = now.thread.title === null ? '' : ` (${plain(now.thread.title)})`;
    lines.push(`Topic: \`${now.thread.threadId}\`${title}${now.thread.awaiting ? ', waiting for your answer' : ''}.`);
  }
  for (const job of now.jobs) lines.push(`Job ${plain(job.job)}: ${job.status}, ${inWords(job.ageMs)}.`);
  return lines.join('\n\n');
}

function activity(now: LaneStatus): string {
  if (!now.running) return NOTHING_RUNS;
  return now.oldestMs === null ? 'I am working.' : `I have been working for ${inWords(now.oldestMs)}.`;
}

/** A name inside a sentence: nobody's name formats our text. */
export function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>~|#]/g, '\\$&').replace(/\s+/g, ' ');
}
