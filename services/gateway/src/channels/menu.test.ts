import { say } from '@signalbox/messages/say';
import { expect, test } from 'vitest';
import { parseCommand, isAdminCommand } from '../commands/command.ts';
import { ADMIN_MENU, MENU, MENU_LANGUAGES } from './menu.ts';

test('every command that is offered exists, and those of admins are offered to admins', () => {
  for (const { command } of MENU) {
    const parsed = parseCommand(`/${command}`);
    expect(parsed?.name).toBe(command);
    expect(parsed?.name && parsed.name !== 'new' && isAdminCommand(parsed.name)).toBeFalsy();
  }
  for (const { command } of ADMIN_MENU) {
    const parsed = parseCommand(`/${command}`);
    expect(parsed?.name && parsed.name !== 'new' && isAdminCommand(parsed.name)).toBe(true);
  }
});

test('every description is there in each language, its own, and fits a phone', () => {
  for (const { command } of [...MENU, ...ADMIN_MENU]) {
    const texts = MENU_LANGUAGES.map((language) => say(`menu.${command}`, {}, language));
    expect(new Set(texts).size).toBe(MENU_LANGUAGES.length);
    for (const text of texts) expect(text).toMatch(/^\S.{2,48}\S$/u);
  }
});
