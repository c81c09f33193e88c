import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { changeBotStatus } from '../bot-api/chats/bot-rights.ts';
import { BotStatus } from '../store/event.ts';
import type { Sent } from './sent-update.ts';
import { PersonError } from './person-access.ts';
import { blockFromPerson } from './person-block.ts';
import { clickFromPerson, PersonClick, stopFromPerson } from './person-clicks.ts';
import { forwardFromPerson, PersonForward } from './person-actions.ts';
import { parseWithFiles } from './person-files.ts';
import { editFromPerson, PersonEdit, PersonMessage, sendFromPerson } from './person-messages.ts';
import type { Store } from '../store/store.ts';

const Stop = z.strictObject({ from: z.int() });
const Rights = z.strictObject({ by: z.int(), status: BotStatus });
const Block = z.strictObject({ person: z.int(), blocked: z.boolean() });

/** Serves people's actions as JSON for the page, the terminal chat and tests. */
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
    const sent = sendFromPerson(store, parseWithFiles(PersonMessage, request.body));
    return { ok: true, ...toAnswer(sent[0]), messageIds: sent.map((one) => one.message.messageId) };
  });
  serve('/api/edits', PersonEdit, (given) => toAnswer(editFromPerson(store, given)));
  serve('/api/clicks', PersonClick, (given) => clickFromPerson(store, given));
  serve('/api/forwards', PersonForward, (given) => toAnswer(forwardFromPerson(store, given)));
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

function toAnswer({ updateId, message }: Sent): object {
  const { messageId, chatId, seq } = message;
  return { updateId, messageId, chatId, seq };
}
