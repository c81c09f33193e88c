import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { PersonError } from './person-access.ts';
import { blockFromPerson } from './person-block.ts';
import { clickFromPerson, stopFromPerson } from './person-clicks.ts';
import { parseWithFiles, PersonFile } from './person-files.ts';
import { editFromPerson, sendFromPerson } from './person-messages.ts';
import { resolveChatName, type World } from './world.ts';

const chatName = z.union([z.int(), z.string().regex(/^(ops|-?\d+)$/, 'a chat is a number or "ops"')]);
const Message = z.strictObject({
  from: z.int(),
  chat: chatName.optional(),
  text: z.string().default(''),
  replyTo: z.int().nullish(),
  raw: z.boolean().default(false),
  files: z.array(PersonFile).default([]),
});
const Edit = z.strictObject({ from: z.int(), chat: chatName.optional(), messageId: z.int(), text: z.string() });
const Click = z.strictObject({
  from: z.int(),
  chat: chatName.optional(),
  messageId: z.int().nullish(),
  button: z.string().min(1),
});
const Stop = z.strictObject({ from: z.int() });
const Block = z.strictObject({ person: z.int(), blocked: z.boolean() });

/** Serves what people do: for the page, the terminal chat and tests. Answers are JSON. */
export function registerPersonActions(app: FastifyInstance, world: World): void {
  app.post('/api/messages', async (request) => {
    const { from, chat, text, replyTo, raw, files } = parseWithFiles(Message, request.body);
    const chatId = resolveChatName(chat ?? from);
    const sent = sendFromPerson(world, { from, chatId, text, replyTo: replyTo ?? null, raw, files });
    const [{ updateId, message }] = sent;
    const messageIds = sent.map((one) => one.message.messageId);
    return { ok: true, updateId, messageId: message.messageId, messageIds, chatId, seq: message.seq };
  });

  app.post('/api/edits', async (request) => {
    const { from, chat, messageId, text } = Edit.parse(request.body);
    const chatId = resolveChatName(chat ?? from);
    const { updateId, message } = editFromPerson(world, { from, chatId, messageId, text });
    return { ok: true, updateId, messageId, chatId, seq: message.seq };
  });

  app.post('/api/clicks', async (request) => {
    const { from, chat, messageId, button } = Click.parse(request.body);
    const chatId = resolveChatName(chat ?? from);
    return { ok: true, ...clickFromPerson(world, { from, chatId, messageId: messageId ?? null, button }) };
  });

  app.get<{ Params: { id: string } }>('/api/clicks/:id', async (request) => {
    const click = world.state.clicks.get(request.params.id);
    if (!click) throw new PersonError(404, `There was no click ${request.params.id}.`);
    const { answer } = click;
    return { answered: answer !== null, text: answer?.text ?? '', showAlert: answer?.showAlert ?? false };
  });

  app.post('/api/drafts/stop', async (request) => ({
    ok: true,
    ...stopFromPerson(world, Stop.parse(request.body).from),
  }));

  app.post('/api/block', async (request) => {
    const { person, blocked } = Block.parse(request.body);
    return { ok: true, ...blockFromPerson(world, person, blocked) };
  });
}
