import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { changeBotStatus } from '../bot-api/chats/bot-rights.ts';
import { BotStatus } from '../store/event.ts';
import type { Sent } from '../store/sent-update.ts';
import { resolveChatName } from './people.ts';
import { PersonError } from './person-access.ts';
import { blockFromPerson } from './person-block.ts';
import { clickFromPerson, stopFromPerson } from './person-clicks.ts';
import { forwardFromPerson } from './person-actions.ts';
import { parseWithFiles, PersonFile } from './person-files.ts';
import { editFromPerson, sendFromPerson } from './person-messages.ts';
import type { Store } from '../store/store.ts';

type ChatName = number | string;
const chatName = z.union([z.int(), z.string().regex(/^(ops|-?\d+)$/, 'a chat is a number or "ops"')]);
/** Who acts, and where; without a chat in the private one. */
const Person = z.strictObject({ from: z.int(), chat: chatName.optional() });

const Message = Person.extend({
  text: z.string().default(''),
  replyTo: z.int().nullable().default(null),
  topic: z
    .union([z.int(), z.string().min(1)])
    .nullable()
    .default(null),
  raw: z.boolean().default(false),
  files: z.array(PersonFile).default([]),
}).transform(findPlace);
const Edit = Person.extend({ messageId: z.int(), text: z.string() }).transform(findPlace);
const Click = Person.extend({
  messageId: z.int().nullable().default(null),
  button: z.string().min(1).nullable().default(null),
  data: z.string().nullable().default(null),
})
  .refine(
    ({ button, data, messageId }) => (data === null ? button : messageId) !== null,
    'a click names a button, or data and messageId',
  )
  .transform(findPlace);
const Forward = Person.extend({ messageId: z.int(), to: chatName.optional() })
  .transform(findPlace)
  .transform(({ to, ...given }) => ({ ...given, toChatId: resolveChatName(to ?? given.from) }));
const Stop = z.strictObject({ from: z.int() });
const Rights = z.strictObject({ by: z.int(), status: BotStatus });
const Block = z.strictObject({ person: z.int(), blocked: z.boolean() });

/** Serves what people do: for the page, the terminal chat and tests. Answers are JSON. */
export function registerPersonActions(app: FastifyInstance, store: Store): void {
  function serve<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    run: (given: z.output<Schema>) => object | void,
  ): void {
    app.post(path, async (request) => ({
      ok: true,
      ...run(schema.parse(request.body)),
    }));
  }

  app.post('/api/messages', async (request) => {
    const sent = sendFromPerson(store, parseWithFiles(Message, request.body));
    return { ok: true, ...toAnswer(sent[0]), messageIds: sent.map((one) => one.message.messageId) };
  });
  serve('/api/edits', Edit, (given) => toAnswer(editFromPerson(store, given)));
  serve('/api/clicks', Click, (given) => clickFromPerson(store, given));
  serve('/api/forwards', Forward, (given) => toAnswer(forwardFromPerson(store, given)));
  serve('/api/drafts/stop', Stop, ({ from }) => stopFromPerson(store, from));
  serve('/api/rights', Rights, (given) => changeBotStatus(store, given));
  serve('/api/block', Block, ({ person, blocked }) => blockFromPerson(store, person, blocked));
  app.get<{ Params: { id: string } }>('/api/clicks/:id', async (request) => {
    const click = store.state.clicks.get(request.params.id);
    if (!click) throw new PersonError(404, `There was no click ${request.params.id}.`);
    const { answer } = click;
    return { answered: answer !== null, text: answer?.text ?? '', showAlert: answer?.showAlert ?? false };
  });
}

function findPlace<Given extends { readonly from: number; readonly chat?: ChatName | undefined }>({
  chat,
  ...given
}: Given): Omit<Given, 'chat'> & { readonly chatId: number } {
  return { ...given, chatId: resolveChatName(chat ?? given.from) };
}

function toAnswer({ updateId, message }: Sent): object {
  const { messageId, chatId, seq } = message;
  return { updateId, messageId, chatId, seq };
}
