import type { Pool } from '@signalbox/store/pool';
import { z } from 'zod';
import { eventually } from './until.ts';

const Message = z.object({
  messageId: z.number(),
  from: z.object({ id: z.number(), isBot: z.boolean() }),
  text: z.string(),
  buttons: z.array(z.array(z.object({ text: z.string() }))).nullable(),
  deleted: z.boolean().optional(),
  file: z.object({ name: z.string() }).nullish(),
});
export type SeenMessage = z.infer<typeof Message>;

/** Somebody in the simulated Telegram. */
export interface Person {
  readonly id: number;
  /** Sends a text to the bot, or into the group. `raw` lets through what a client would split. */
  send(text: string, options?: { chat?: string; raw?: boolean; replyTo?: number }): Promise<void>;
  /** Presses the newest button of that label. */
  click(label: string, chat?: string): Promise<void>;
  /** Everything the bot said in the private chat, in order, as it stands now. */
  heard(chat?: string | number): Promise<SeenMessage[]>;
  /** Sends a text and answers what the bot said until all of this person's messages are settled and delivered. */
  ask(text: string): Promise<string[]>;
  clickAndWait(label: string): Promise<string[]>;
  /** Waits until the bot has said something that matches, and answers it. */
  waitFor(pattern: RegExp): Promise<string>;
}

export async function openPerson(options: {
  pool: Pool;
  simulatorUrl: string;
  id: number;
  role: string | null;
  /** True for somebody whom the simulator does not know; without it, the simulator is asked for everybody. */
  isNew?: boolean;
}): Promise<Person> {
  const { pool, simulatorUrl, id, role, isNew = false } = options;
  const post = async (path: string, body: unknown): Promise<void> => {
    const response = await fetch(`${simulatorUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  };
  const isKnown = async (): Promise<boolean> =>
    z
      .array(z.object({ id: z.number() }))
      .parse(await (await fetch(`${simulatorUrl}/api/people`)).json())
      .some((person) => person.id === id);
  if (isNew || !(await isKnown())) await post('/api/people', { id, name: `P${id}` });
  if (role) {
    await pool.query(
      `insert into users (user_key, channel, name, role) values ($1, 'telegram', $2, $3) on conflict do nothing`,
      [String(id), `P${id}`, role],
    );
  }
  /** Admitted, settled and delivered: nothing of this person is under way. */
  const quiet = async (admitted: number): Promise<boolean> => {
    const { rows } = await pool.query<{ total: number; open: number; unsent: number }>(
      `select (select count(*)::int from inbox where user_key = $1) as total,
              (select count(*)::int from inbox where user_key = $1 and outcome is null) as open,
              (select count(*)::int from outbox where user_key = $1 and status in ('pending', 'sending')) as unsent`,
      [String(id)],
    );
    const [row] = rows;
    return row !== undefined && row.total >= admitted && row.open === 0 && row.unsent === 0;
  };
  const heard = async (chat: string | number = id): Promise<SeenMessage[]> => {
    const response = await fetch(`${simulatorUrl}/api/chats/${chat}/messages?as=${id}&after=0`);
    const { messages } = z.object({ messages: z.array(Message) }).parse(await response.json());
    return messages.filter((message) => message.from.isBot && !message.deleted);
  };
  const during = async (act: () => Promise<void>): Promise<string[]> => {
    const before = (await heard()).length;
    const { rows } = await pool.query<{ total: number }>(
      'select count(*)::int as total from inbox where user_key = $1',
      [String(id)],
    );
    await act();
    await eventually(() => quiet((rows[0]?.total ?? 0) + 1), Boolean, 30_000);
    return (await heard()).slice(before).map((message) => message.text);
  };
  const send: Person['send'] = (text, { chat, raw, replyTo } = {}) =>
    post('/api/messages', {
      from: id,
      text,
      ...(chat ? { chat } : {}),
      ...(raw ? { raw } : {}),
      ...(replyTo === undefined ? {} : { replyTo }),
    });
  const click = (label: string, chat?: string): Promise<void> =>
    post('/api/clicks', { from: id, button: label, ...(chat ? { chat } : {}) });
  const waitFor = async (pattern: RegExp): Promise<string> => {
    const find = async (): Promise<string | undefined> =>
      (await heard()).map((message) => message.text).findLast((text) => pattern.test(text));
    // As long as a busy machine may take: it ends as soon as it is said.
    return (await eventually(find, (text) => text !== undefined, 45_000)) ?? '';
  };
  return {
    id,
    send,
    waitFor,
    click,
    heard,
    ask: (text) => during(() => send(text)),
    clickAndWait: (label) => during(() => click(label)),
  };
}
