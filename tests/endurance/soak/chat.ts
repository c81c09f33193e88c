import { z } from 'zod';

const Messages = z.object({
  messages: z.array(
    z.object({
      messageId: z.number(),
      from: z.object({ isBot: z.boolean() }),
      text: z.string(),
      deleted: z.boolean(),
      buttons: z.array(z.array(z.object({ text: z.string() }))).nullable(),
    }),
  ),
});

export type ChatMessage = z.infer<typeof Messages>['messages'][number];

/** What a person sees of the bot in their chat, oldest first. */
export async function readChat(simulatorUrl: string, userKey: string): Promise<readonly ChatMessage[]> {
  const answer = await fetch(`${simulatorUrl}/api/chats/${userKey}/messages?as=${userKey}&after=0`);
  const { messages } = Messages.parse(await answer.json());
  return messages.filter(({ from, deleted }) => from.isBot && !deleted);
}

/** A person does something in the simulated Telegram. Throws when that is not possible. */
export async function act(simulatorUrl: string, path: string, body: object): Promise<unknown> {
  const response = await fetch(`${simulatorUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

/**
 * A person presses the newest Confirm button that they have not pressed yet. A message that was sent again leaves a card whose button
 * does nothing, and no product can tell which of the two is seen: people go on with the next one. After the last one they begin anew.
 */
export async function pressConfirm(simulatorUrl: string, userKey: string, pressed: Set<number>): Promise<void> {
  const cards = (await readChat(simulatorUrl, userKey)).filter(({ buttons }) =>
    buttons?.flat().some(({ text }) => text === 'Confirm'),
  );
  if (cards.every(({ messageId }) => pressed.has(messageId))) pressed.clear();
  const card = cards.findLast(({ messageId }) => !pressed.has(messageId));
  if (card === undefined) return;
  await act(simulatorUrl, '/api/clicks', { from: Number(userKey), messageId: card.messageId, button: 'Confirm' });
  pressed.add(card.messageId);
}
