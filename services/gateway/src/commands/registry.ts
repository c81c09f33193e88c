import { readdirSync } from 'node:fs';
import { AppError } from '@signalbox/contracts/errors';
import { roleCovers, type Role } from '@signalbox/contracts/governance/roles';
import { nearestName } from '@signalbox/contracts/nearest-name';
import type { ChatCommand } from './chat-command.ts';

const FOLDER = new URL('./', import.meta.url);

/** Every command, in the order of the menus: those of admins last. Each file in a folder beside this one holds one. */
export const COMMANDS: readonly ChatCommand[] = (await Promise.all(listFiles().map(loadCommand))).toSorted(
  (one, other) => placeOf(one) - placeOf(other),
);

/** What a message that begins with a slash asks for. `typed`: a command that does not exist. */
export type Command =
  { readonly name: string; readonly rest: string } | { readonly name: null; readonly typed: string };

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
  // An agent that offers another one writes the command so that a tap sends it: who taps consents.
  const agent = /^agent_([a-z0-9_]+)$/.exec(name);
  if (agent) return { name: 'agent', rest: agent[1] ?? '' };
  if (!COMMANDS.some((command) => command.name === name)) return { name: null, typed: name.slice(0, 32) };
  return { name, rest: match[2]?.trim() ?? '' };
}

/** Whether a program may use the command of this name. */
export function isForPrograms(name: string): boolean {
  return COMMANDS.some((command) => command.name === name && command.forPrograms === true);
}

/** The command that a mistyped one most likely stands for, among those that this role may use; null when none is close. */
export function nearestCommand(typed: string, role: Role): string | null {
  const usable = COMMANDS.filter(({ who }) => roleCovers(role, who));
  return nearestName(
    typed,
    usable.map(({ name }) => name),
  );
}

function listFiles(): readonly string[] {
  const groups = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return groups.flatMap(({ name: group }) =>
    readdirSync(new URL(`${group}/`, FOLDER))
      .filter((file) => /^[a-z0-9_]+\.(ts|js)$/.test(file))
      .map((file) => `${group}/${file}`),
  );
}

async function loadCommand(file: string): Promise<ChatCommand> {
  const loaded: unknown = await import(new URL(file, FOLDER).href);
  const command = (loaded as { default?: ChatCommand }).default; // checked on the next line
  const expected = file.replace(/^.*\/|\.\w+$/g, '');
  if (command?.name !== expected)
    throw new AppError('STARTUP_REFUSED', {
      reason: `commands/${file} must export default a ChatCommand named ${expected}.`,
    });
  return command;
}

function placeOf({ who, menu }: ChatCommand): number {
  return (who === 'admin' ? 1_000 : 0) + (menu?.place ?? 999);
}
