import { readdirSync } from 'node:fs';
import { AppError } from '@signalbox/contracts/errors';
import { coversRole, type Role } from '@signalbox/contracts/governance/roles';
import { findNearestName } from '@signalbox/contracts/nearest-name';
import type { ChatCommand } from './chat-command.ts';

const FOLDER = new URL('./', import.meta.url);

/** All commands in menu order, admins' commands last. Each file of the folders beside this file holds one. */
export const COMMANDS: readonly ChatCommand[] = (await Promise.all(listCommandFiles().map(loadCommand))).toSorted(
  (one, other) => getMenuOrder(one) - getMenuOrder(other),
);

/** A parsed command. `typed` is a name that no command has. */
export type ParsedCommand =
  { readonly name: string; readonly rest: string } | { readonly name: null; readonly typed: string };

/** Parses a command, ignoring case and the bot's name. Null for other text, such as a message about `/etc/hosts`. */
export function parseCommand(text: string): ParsedCommand | null {
  const match = /^\/([a-z][a-z0-9_]*)(?:@\w+)?(?:\s+([\s\S]*))?$/i.exec(text.trim());
  if (!match?.[1]) return null;
  const name = match[1].toLowerCase();
  // `/why_…` is the link at the end of a receipt, sent with a tap.
  const receipt = /^why_([0-9a-z]+)$/.exec(name);
  if (receipt) return { name: 'why', rest: `act_${receipt[1]}` };
  // `/agent_…` is the link with which an agent offers another; a tap on it is the consent.
  const agent = /^agent_([a-z0-9_]+)$/.exec(name);
  if (agent) return { name: 'agent', rest: agent[1] ?? '' };
  if (!COMMANDS.some((command) => command.name === name)) return { name: null, typed: name.slice(0, 32) };
  return { name, rest: match[2]?.trim() ?? '' };
}

export function isProgramCommand(name: string): boolean {
  return COMMANDS.some((command) => command.name === name && command.forPrograms === true);
}

/** The command most similar to a mistyped one that this role may use; null when none is close. */
export function findSimilarCommand(typed: string, role: Role): string | null {
  const usable = COMMANDS.filter(({ who }) => coversRole(role, who));
  return findNearestName(
    typed,
    usable.map(({ name }) => name),
  );
}

function listCommandFiles(): readonly string[] {
  const groups = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return groups.flatMap(({ name: group }) =>
    readdirSync(new URL(`${group}/`, FOLDER))
      .filter((file) => /^[a-z0-9_]+\.(ts|js)$/.test(file))
      .map((file) => `${group}/${file}`),
  );
}

async function loadCommand(file: string): Promise<ChatCommand> {
  const loaded: unknown = await import(new URL(file, FOLDER).href);
  const command = (loaded as { default?: ChatCommand }).default; // the next line checks the shape
  const expected = file.replace(/^.*\/|\.\w+$/g, '');
  if (command?.name !== expected)
    throw new AppError('STARTUP_REFUSED', {
      reason: `commands/${file} must export default a ChatCommand named ${expected}.`,
    });
  return command;
}

function getMenuOrder({ who, menu }: ChatCommand): number {
  return (who === 'admin' ? 1_000 : 0) + (menu?.place ?? 999);
}
