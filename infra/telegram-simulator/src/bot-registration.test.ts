import { expect, test } from 'vitest';
import { api, client, useSimulator } from './simulator.fixture.ts';

useSimulator();

test('the menu button of one chat takes precedence over the button of all chats', async () => {
  expect(await api.getChatMenuButton()).toEqual({ type: 'commands' });
  await api.setChatMenuButton({ menu_button: { type: 'default' } });
  const menu_button = { type: 'web_app' as const, text: 'Open', web_app: { url: 'https://example.org' } };
  await api.setChatMenuButton({ chat_id: 1001, menu_button });
  expect(await api.getChatMenuButton({ chat_id: 1001 })).toEqual(menu_button);
  expect(await api.getChatMenuButton({ chat_id: 1002 })).toEqual({ type: 'default' });
});

test('commands with a three-letter language code or for an unknown chat are refused', async () => {
  const commands = [{ command: 'help', description: 'What I can do' }];
  await expect(api.setMyCommands(commands, { language_code: 'deu' as 'de' })).rejects.toMatchObject({
    description: 'Bad Request: invalid language code specified',
  });
  await expect(api.setMyCommands(commands, { scope: { type: 'chat', chat_id: 4242 } })).rejects.toMatchObject({
    description: 'Bad Request: chat not found',
  });
});

test('a person is offered the bot commands of the narrowest scope: member, group or private chat, then all', async () => {
  const say = (description: string): { command: string; description: string }[] => [{ command: 'help', description }];
  const offered = async (chat: string): Promise<unknown> => client.get(`/api/commands?as=1001&chat=${chat}`);
  await api.setMyCommands(say('for all'));
  await api.setMyCommands(say('in private'), { scope: { type: 'all_private_chats' } });
  await api.setMyCommands(say('in groups'), { scope: { type: 'all_group_chats' } });
  expect(await offered('1001')).toEqual(say('in private'));
  expect(await offered('ops')).toEqual(say('in groups'));
  await api.setMyCommands(say('for Ada here'), { scope: { type: 'chat_member', chat_id: -2001, user_id: 1001 } });
  expect(await offered('ops')).toEqual(say('for Ada here'));
  await api.setMyCommands(say('in English'), { scope: { type: 'all_private_chats' }, language_code: 'en' });
  expect(await offered('1001')).toEqual(say('in English'));
});
