import { readFileSync } from 'node:fs';
import { Role, roleCovers } from '@signalbox/contracts/governance/roles';
import { LANGUAGES } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { expect, it } from 'vitest';
import { ADMIN_MENU, MENU } from '../channels/menu.ts';
import { describeHelp } from './conversation/help.ts';
import { COMMANDS, isForPrograms, nearestCommand, parseCommand } from './registry.ts';

const named = COMMANDS.map((command) => [command.name, command] as const);

it.each(named)('/%s is typed as Telegram allows', (name) => {
  expect(name).toMatch(/^[a-z0-9_]{1,32}$/);
  expect(parseCommand(`/${name.toUpperCase()}@signalbox_bot  and more `)).toEqual({ name, rest: 'and more' });
});

it.each([...MENU, ...ADMIN_MENU])(
  '/$command has a description of its own in each language, and each fits a phone',
  ({ description }) => {
    const texts = LANGUAGES.map((language) => say(description, {}, language));
    expect(new Set(texts).size).toBe(LANGUAGES.length);
    for (const text of texts) expect(text).toMatch(/^\S.{2,48}\S$/u);
  },
);

it.each(named)('/%s stands in the help of those who may use it, and in no other', (_, { who, help }) => {
  const line = help && say(help);
  for (const role of Role.options)
    expect(
      describeHelp(COMMANDS, role)
        .split('\n')
        .some((one) => one === line),
    ).toBe(line !== null && roleCovers(role, who));
});

it.each(named)('/%s is no hint for a person who may not use it', (name, { who }) => {
  const lower = Role.options.filter((role) => !roleCovers(role, who));
  expect(lower.map((role) => nearestCommand(name, role))).not.toContain(name);
  expect(nearestCommand(`${name}x`, 'admin')).not.toBeNull();
});

it('offers the commands of admins to admins alone', () => {
  const offered = [...MENU, ...ADMIN_MENU].map(({ command }) => command);
  expect(new Set(offered).size).toBe(offered.length);
  const whoOf = (entries: typeof MENU): readonly (string | null)[] =>
    entries.map(({ command }) => COMMANDS.find(({ name }) => name === command)?.who ?? null);
  expect(whoOf(MENU)).not.toContain('admin');
  expect(new Set(whoOf(ADMIN_MENU))).toEqual(new Set(['admin']));
});

it('shows a viewer no example that changes anything', () => {
  expect(describeHelp(COMMANDS, 'viewer')).not.toMatch(/create|deploy/);
  expect(describeHelp(COMMANDS, 'developer')).toMatch(/deploy shop/);
});

it('reads the command under a receipt as the question why', () => {
  expect(parseCommand('/why_1a2b')).toEqual({ name: 'why', rest: 'act_1a2b' });
});

it('a program may use the commands that the page about programs names, and no other', () => {
  const page = readFileSync(new URL('../../../../docs/channels/ingress.md', import.meta.url), 'utf8');
  const listed = /of the commands only ([^.]*?) are/.exec(page)?.[1] ?? '';
  const named = new Set([...listed.matchAll(/`\/(\w+)`/g)].map(([, name]) => name));
  expect(new Set(COMMANDS.map(({ name }) => name).filter(isForPrograms))).toEqual(named);
});
