import { readFileSync } from 'node:fs';
import { Role, coversRole } from '@signalbox/contracts/governance/roles';
import { LANGUAGES } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { expect, it } from 'vitest';
import { ADMIN_MENU, COMMAND_MENU } from '../channels/menu.ts';
import { describeHelp } from './conversation/help.ts';
import { COMMANDS, isProgramCommand, findSimilarCommand, parseCommand } from './registry.ts';

const named = COMMANDS.map((command) => [command.name, command] as const);

it.each(named)('/%s is a command name that Telegram allows', (name) => {
  expect(name).toMatch(/^[a-z0-9_]{1,32}$/);
  expect(parseCommand(`/${name.toUpperCase()}@signalbox_bot  and more `)).toEqual({ name, rest: 'and more' });
});

it.each([...COMMAND_MENU, ...ADMIN_MENU])(
  '/$command has a description of its own in each language, short enough for a phone',
  ({ description }) => {
    const texts = LANGUAGES.map((language) => say(description, {}, language));
    expect(new Set(texts).size).toBe(LANGUAGES.length);
    for (const text of texts) expect(text).toMatch(/^\S.{2,48}\S$/u);
  },
);

it.each(named)('/%s is listed by /help for exactly the roles that may use it', (_, { who, help }) => {
  const line = help && say(help);
  for (const role of Role.options)
    expect(
      describeHelp(COMMANDS, role)
        .split('\n')
        .some((one) => one === line),
    ).toBe(line !== null && coversRole(role, who));
});

it.each(named)('/%s is never suggested to a role that may not use it', (name, { who }) => {
  const lower = Role.options.filter((role) => !coversRole(role, who));
  expect(lower.map((role) => findSimilarCommand(name, role))).not.toContain(name);
  expect(findSimilarCommand(`${name}x`, 'admin')).not.toBeNull();
});

it('only the menu of admins lists commands for admins', () => {
  const offered = [...COMMAND_MENU, ...ADMIN_MENU].map(({ command }) => command);
  expect(new Set(offered).size).toBe(offered.length);
  const whoOf = (entries: typeof COMMAND_MENU): readonly (string | null)[] =>
    entries.map(({ command }) => COMMANDS.find(({ name }) => name === command)?.who ?? null);
  expect(whoOf(COMMAND_MENU)).not.toContain('admin');
  expect(new Set(whoOf(ADMIN_MENU))).toEqual(new Set(['admin']));
});

it('the help for a viewer has no example that changes anything', () => {
  expect(describeHelp(COMMANDS, 'viewer')).not.toMatch(/create|deploy/);
  expect(describeHelp(COMMANDS, 'developer')).toMatch(/deploy shop/);
});

it("the /why_… link in a receipt is read as /why with the id of the receipt's action", () => {
  expect(parseCommand('/why_1a2b')).toEqual({ name: 'why', rest: 'act_1a2b' });
});

it('a program may use exactly the commands that the documentation of the HTTP ingress lists', () => {
  const page = readFileSync(new URL('../../../../docs/channels/ingress.md', import.meta.url), 'utf8');
  const listed = /of the commands, only ([^.]*?) work/i.exec(page)?.[1] ?? '';
  const named = new Set([...listed.matchAll(/`\/(\w+)`/g)].map(([, name]) => name));
  expect(new Set(COMMANDS.map(({ name }) => name).filter(isProgramCommand))).toEqual(named);
});
