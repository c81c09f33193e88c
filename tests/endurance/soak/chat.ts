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
