import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openScene, overflowOf, PHONE, type Scene } from './scene.ts';

const executablePath = inject('chromium');
const OPS = -2001;

/** Waits until a page shows a chat as somebody. */
async function waitForChat(page: Page, person: string, chat: string): Promise<void> {
  await page.getByRole('button', { name: `You speak as ${person}. Change` }).waitFor();
  await page.getByRole('heading', { level: 1, name: chat, exact: true }).waitFor();
}

/** Opens a chat from the list of chats. */
async function openChat(page: Page, person: string, chat: string): Promise<void> {
  const chats = page.getByRole('list', { name: 'Chats' });
  await chats.getByRole('button', { name: new RegExp(`^${chat}`) }).click();
  await waitForChat(page, person, chat);
}

/** Opens a topic of the group by its tab, such as "Deploys 1 unread". */
async function openTopic(page: Page, tab: string): Promise<void> {
  const tabs = page.getByRole('navigation', { name: 'Topics' });
  await tabs.getByRole('button', { name: tab }).click();
  await tabs.locator('[aria-current=true]', { hasText: tab.split(' ')[0] ?? '' }).waitFor();
}

/** Presses a button and types before the browser does anything else, as with keys that overtake the page. */
function pressAndType(button: Locator, text: string): Promise<void> {
  return button.evaluate(async (node: HTMLElement, letters) => {
    node.click();
    for (const letter of letters) {
      await Promise.resolve(); // The page renders in microtasks.
      document.execCommand('insertText', false, letter);
    }
  }, text);
}

describe.skipIf(executablePath === null)('the group chat', () => {
  let scene: Scene;
  let ada: Page;
  let ben: Page;
  beforeAll(async () => {
    scene = await openScene(executablePath);
    [ada, ben] = [await scene.look('as=1001&chat=ops', PHONE), await scene.look('as=1002&chat=ops')];
  });
  afterAll(() => scene?.close());

  const expectFine = async (): Promise<void> => {
    expect(await overflowOf(ada)).toBe(0);
    expect(scene.complaints()).toEqual([]);
  };

  it('shows the author of each message, and an answer links to the message that it answers', async () => {
    await scene.person('messages', { from: 1002, chat: 'ops', text: 'is the shop slow?' });
    const question = ada.locator('.message', { hasText: 'is the shop slow?' });
    await question.getByText('Ben').waitFor();
    const replyTo = Number(await question.getAttribute('data-id'));
    await scene.person('messages', { from: 1003, chat: 'ops', text: 'yes, since noon', replyTo });
    const answer = ben.locator('.message', { hasText: 'yes, since noon' });
    await answer.getByText('Cleo').waitFor();
    await answer.getByRole('button', { name: 'is the shop slow?' }).click();
    await ben.locator('.message.flash', { hasText: 'is the shop slow?' }).waitFor();
    await expectFine();
  });

  it('shows an ephemeral message only to its recipient', async () => {
    const { message_id } = await scene.bot('sendMessage', {
      chat_id: OPS,
      text: 'The log is long.',
      reply_markup: { inline_keyboard: [[{ text: 'Show it', callback_data: 'log' }]] },
    });
    await ada.locator(`[data-id="${message_id}"]`).waitFor();
    await ada.getByRole('button', { name: 'Show it' }).click();
    const callback_query_id = await scene.nextPress();
    await scene.bot('sendMessage', {
      chat_id: OPS,
      text: 'ERROR for customer Doe',
      ephemeral_message_parameters: { receiver_user_id: 1001, callback_query_id },
    });
    const whisper = ada.locator('.message', { hasText: 'ERROR for customer Doe' });
    await whisper.getByText('Only you see this').waitFor();
    await scene.bot('sendMessage', { chat_id: OPS, text: 'Anything else?' });
    await ben.getByText('Anything else?').last().waitFor();
    expect(await ben.content()).not.toContain('Doe');
    // Whoever turns to Ben on the page of Ada does not see it either.
    await ada.getByRole('button', { name: 'You speak as Ada. Change' }).click();
    await ada.getByRole('dialog').getByText('Ben').click();
    await waitForChat(ada, 'Ben', 'ops');
    await ada.locator('.message', { hasText: 'Anything else?' }).waitFor();
    expect(await ada.locator('.messages').textContent()).not.toContain('Doe');
    await ada.goBack();
    await waitForChat(ada, 'Ada', 'ops');
    await whisper.waitFor();
    await expectFine();
  });

  it('keeps topics apart and counts the new messages of each other topic', async () => {
    await scene.person('messages', { from: 1002, chat: 'ops', topic: 101, text: 'deploying the shop' });
    await openTopic(ada, 'Deploys 1 unread');
    await ada.locator('.message', { hasText: 'deploying the shop' }).waitFor();
    expect(await ada.locator('.message', { hasText: 'Anything else?' }).count()).toBe(0);
    await ada.locator('textarea').fill('thanks, from the topic');
    await ada.getByRole('button', { name: 'Send' }).click();
    await openTopic(ben, 'Deploys');
    await ben.locator('.message', { hasText: 'thanks, from the topic' }).getByText('Ada').waitFor();
    await openTopic(ada, 'General');
    await ada.locator('.message', { hasText: 'Anything else?' }).waitFor();
    await expectFine();
  });

  it('lets people edit and forward a message from its menu', async () => {
    await openTopic(ben, 'General');
    await ben.locator('.message', { hasText: 'Anything else?' }).waitFor();
    await ben.locator('textarea').fill('frist');
    await ben.keyboard.press('Enter');
    const menuOf = (page: Page, text: string): Promise<void> =>
      page.locator('.message', { hasText: text }).last().locator('.bubble').click({ button: 'right' });
    await menuOf(ben, 'frist');
    await ben.getByRole('button', { name: 'Edit' }).click();
    await ben.locator('textarea').fill('first');
    await ben.keyboard.press('Enter');
    await ada.locator('.message', { hasText: 'first' }).getByText('edited').waitFor();
    await menuOf(ada, 'first');
    const menu = ada.getByRole('dialog', { name: 'Message' });
    await menu.getByRole('button', { name: 'Forward' }).waitFor();
    expect(await menu.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    await menu.getByRole('button', { name: 'Forward' }).click();
    await ada.getByRole('dialog').getByRole('button', { name: 'Signalbox' }).click();
    await ada.getByText('Forwarded to Signalbox').waitFor();
    await ada.getByRole('button', { name: 'People and chats' }).click();
    await openChat(ada, 'Ada', 'Signalbox');
    await ada.locator('.message', { hasText: 'first' }).getByText('Forwarded from Ben').waitFor();
    await expectFine();
  });
});

describe.skipIf(executablePath === null)('the message field', () => {
  let scene: Scene;
  let page: Page;
  beforeAll(async () => {
    scene = await openScene(executablePath);
    const commands = [
      { command: 'status', description: 'What goes on now' },
      { command: 'stop', description: 'Interrupt me' },
      { command: 'whoami', description: 'Who you are to me', is_ephemeral: true },
    ];
    await scene.bot('setMyCommands', { commands });
    page = await scene.look('as=1001');
  });
  afterAll(() => scene?.close());

  const field = (): ReturnType<Page['locator']> => page.locator('textarea');
  const sent = (text: string): Promise<void> => page.locator('.message.own', { hasText: text }).last().waitFor();

  it('offers matching commands, which the keyboard can choose', async () => {
    await field().fill('/st');
    const options = page.getByRole('option');
    await expect
      .poll(() => options.allInnerTexts())
      .toEqual([expect.stringContaining('/status'), expect.stringContaining('/stop')]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await sent('/stop');
    await expect.poll(() => field().inputValue()).toBe('');
    expect(scene.complaints()).toEqual([]);
  });

  it('suggests the name of the bot in a group, and marks commands whose answer only the sender sees', async () => {
    await openChat(page, 'Ada', 'ops');
    await field().pressSequentially('hey @sig');
    await page.getByRole('option', { name: /@signalbox_bot/ }).click();
    await expect.poll(() => field().inputValue()).toBe('hey @signalbox_bot ');
    await page.keyboard.press('Enter');
    await sent('hey @signalbox_bot');
    await field().fill('/who');
    await page.getByRole('option', { name: /only you/ }).click();
    await page.locator('.message', { hasText: '/whoami' }).getByText('Only you and the bot see this').waitFor();
    expect(scene.complaints()).toEqual([]);
  });

  it('keeps what is typed for each chat, and edits the last message with ↑', async () => {
    await field().fill('for the group');
    await openChat(page, 'Ada', 'Signalbox');
    await sent('/stop');
    await expect.poll(() => field().inputValue()).toBe('');
    await field().fill('helo');
    await page.keyboard.press('Enter');
    await sent('helo');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => field().inputValue()).toBe('helo');
    await field().fill('hello');
    await page.keyboard.press('Enter');
    await page.locator('.message', { hasText: 'hello' }).getByText('edited').waitFor();
    await openChat(page, 'Ada', 'ops');
    await expect.poll(() => field().inputValue()).toBe('for the group');
    expect(scene.complaints()).toEqual([]);
  });

  it('is one press of Tab away from the newest message, whose menu opens with Enter', async () => {
    await openChat(page, 'Ada', 'Signalbox');
    await sent('hello');
    await page.locator('.message').last().focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Message' }).getByRole('button', { name: 'Reply' }).click();
    await page.getByText('Reply to Ada').waitFor();
    expect(await field().evaluate((node) => document.activeElement === node)).toBe(true);
    await page.keyboard.type('to myself');
    await page.keyboard.press('Enter');
    await page.locator('.message', { hasText: 'to myself' }).getByRole('button', { name: 'Ada hello' }).waitFor();
    expect(scene.complaints()).toEqual([]);
  });

  it('takes the next keys after a switch of chats and after Reply', async () => {
    const chats = page.getByRole('list', { name: 'Chats' });
    await openChat(page, 'Ada', 'ops');
    await field().fill('');
    await pressAndType(chats.getByRole('button', { name: /^Signalbox/ }), 'for the bot');
    expect(await field().inputValue()).toBe('for the bot');
    await pressAndType(chats.getByRole('button', { name: /^ops/ }), 'for the group');
    expect(await field().inputValue()).toBe('for the group');
    await openChat(page, 'Ada', 'Signalbox');
    expect(await field().inputValue()).toBe('for the bot');
    await field().fill('');
    await page.locator('.message', { hasText: 'to myself' }).locator('.bubble').click({ button: 'right' });
    await pressAndType(page.getByRole('dialog').getByRole('button', { name: 'Reply' }), 'in order');
    expect(await field().inputValue()).toBe('in order');
    await page.keyboard.press('Enter');
    const reply = page.locator('.message', { hasText: 'in order' });
    await reply.getByRole('button', { name: 'Ada to myself' }).waitFor();
    expect(scene.complaints()).toEqual([]);
  });

  it('does not bring a sent text back after an edit is left', async () => {
    await openChat(page, 'Ada', 'ops');
    await field().fill('kept, then sent');
    await openChat(page, 'Ada', 'Signalbox');
    await openChat(page, 'Ada', 'ops');
    expect(await field().inputValue()).toBe('kept, then sent');
    await field().press('Enter');
    await sent('kept, then sent');
    await field().press('ArrowUp');
    await page.getByText('Edit message').waitFor();
    await openChat(page, 'Ada', 'Signalbox');
    await openChat(page, 'Ada', 'ops');
    expect(await field().inputValue()).toBe('');
    expect(scene.complaints()).toEqual([]);
  });
});
