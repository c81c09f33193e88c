import type { MessageView } from '../../store/message-view.ts';
import type { ChatView } from '../../store/chat-shapes.ts';
import type { Page } from './page.ts';
import type { ShownChat } from './shown-chat.ts';
import { postAction } from './simulator.ts';

/** Copies a text and confirms it. */
export async function copyText(page: Page, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    page.toast('Copied');
  } catch {
    page.toast('The browser did not let the page copy it.', 'error');
  }
}

/** Presses a button and shows the bot's answer. */
export async function pressButton(
  page: Page,
  { person, chat }: ShownChat,
  messageId: number,
  data: string,
): Promise<void> {
  await page.runAction(async () => {
    const answer = await page.clicks.press({ from: person.id, chat: chat.id, messageId, button: data });
    if (!answer?.text) return;
    if (answer.showAlert) page.change({ alerts: [...page.alerts, answer.text] });
    else page.toast(answer.text);
  });
}

/** Forwards a message, or all messages of its album in order. */
export function forwardMessage(page: Page, { person, chat }: ShownChat, message: MessageView, to: ChatView): void {
  const send = async (): Promise<void> => {
    for (const { messageId } of page.store.albumOf(message))
      await postAction('forwards', { from: person.id, chat: chat.id, messageId, to: to.id });
  };
  void page.runAction(send, `Forwarded to ${page.store.titleOf(to)}`);
}

/** True for the person's own public messages, which clients can edit. */
export function canEditMessage({ from, ephemeral, forwardedFrom }: MessageView, person: number): boolean {
  return from.id === person && ephemeral === null && forwardedFrom === null;
}

/** Starts editing the person's last editable message. */
export function editLastMessage(page: Page, { person, chat, topic }: ShownChat): void {
  const all = page.store.messagesOf(person.id, chat.id, topic);
  const message = all.findLast((one) => canEditMessage(one, person.id));
  if (message) page.writing.begin({ mode: 'edit', message });
}

/** Loads older messages of the shown chat. */
export async function loadOlderMessages(page: Page, { person, chat, topic }: ShownChat): Promise<void> {
  await page.runAction(() => page.store.loadOlder(person.id, chat.id, topic));
}

/** Scrolls to a message; loads it if needed. */
export async function jumpToMessage(page: Page, shown: ShownChat, id: number): Promise<void> {
  const find = (): Element | null => document.querySelector(`[data-id="${id}"], [data-also~="${id}"]`);
  while (!find() && page.store.hasOlder(shown.chat.id) && page.isConnected) {
    await loadOlderMessages(page, shown);
    await new Promise((drawn) => setTimeout(drawn));
    // The user has switched to another chat.
    if (page.shown?.chat.id !== shown.chat.id) return;
  }
  const node = find();
  if (node) page.list?.show(node);
  else page.toast('That message is not there any more.');
}
