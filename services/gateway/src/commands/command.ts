import { nearestName } from '@signalbox/contracts/nearest-name';

/** Commands for everybody, and those that only admins get an answer to. */
const EVERYBODY = [
  'start',
  'help',
  'status',
  'stop',
  'whoami',
  'secret',
  'approvals',
  'grants',
  'freeze',
  'unfreeze',
  'why',
  'mute',
] as const;
const ADMINS = ['invite', 'people', 'users', 'allow', 'role', 'deny', 'queues'] as const;
/** Handled in its place among the messages; all others are answered at once. */
const NEW = 'new';
const ALL: readonly string[] = [...EVERYBODY, ...ADMINS, NEW];

export type AdminCommand = (typeof ADMINS)[number];
/** Commands that are answered at admission, without waiting for a turn. */
export type AnsweredCommand = (typeof EVERYBODY)[number] | AdminCommand;

/** What a message that begins with a slash asks for. `typed`: a command that does not exist. */
export type Command =
  | { readonly name: AnsweredCommand; readonly rest: string }
  | { readonly name: typeof NEW; readonly rest: string }
  | { readonly name: null; readonly typed: string };

/**
 * Reads a command, in whatever case and with our name behind it. Null for text, such as one that begins with a path:
 * `/etc/hosts is broken`.
 */
export function parseCommand(text: string): Command | null {
  const match = /^\/([a-z][a-z0-9_]*)(?:@\w+)?(?:\s+([\s\S]*))?$/i.exec(text.trim());
  if (!match?.[1]) return null;
  const name = match[1].toLowerCase();
  // The command that a receipt ends with, which a tap sends.
  const receipt = /^why_([0-9a-z]+)$/.exec(name);
  if (receipt) return { name: 'why', rest: `act_${receipt[1]}` };
  if (!ALL.includes(name)) return { name: null, typed: name.slice(0, 32) };
  const rest = match[2]?.trim() ?? '';
  return name === NEW ? { name, rest } : { name: name as AnsweredCommand, rest }; // ALL holds exactly these names
}

/** Whether only admins get an answer to it. */
export function isAdminCommand(name: AnsweredCommand): name is AdminCommand {
  return ADMINS.some((admin) => admin === name);
}

/** The command that a mistyped one most likely stands for, among those that this person may use; null when none is close. */
export function nearestCommand(typed: string, isAdmin: boolean): string | null {
  return nearestName(typed, isAdmin ? ALL : [...EVERYBODY, NEW]);
}
