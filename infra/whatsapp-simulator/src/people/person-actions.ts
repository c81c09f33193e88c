import { z } from 'zod';
import type { GraphDeps } from '../graph/graph-call.ts';
import type { MessageView } from '../store/event.ts';
import type { Person } from '../store/store.ts';
import { toMessageNotice, toStatusNotice } from '../webhook/notice.ts';

/** An action that WhatsApp clients do not offer. `status` is the HTTP status. */
export class PersonError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'PersonError';
    this.status = status;
  }
}

const Acting = z.strictObject({ from: z.string().regex(/^\d{5,20}$/, 'is a phone number without its plus') });
const Writing = Acting.extend({ replyTo: z.string().optional(), forwarded: z.boolean().default(false) });

export const TextMessage = Writing.extend({ text: z.string().min(1).max(65_536) });
export const ButtonPress = Acting.extend({
  /** Title or id of a button or row; without a message id, the newest message with it. */
  button: z.string().min(1),
  messageId: z.string().optional(),
});
export const FileMessage = Writing.extend({
  kind: z.enum(['document', 'image', 'audio', 'voice', 'video', 'sticker']),
  /** In Base64. */
  bytes: z.base64(),
  mimeType: z.string().min(1),
  name: z.string().optional(),
  caption: z.string().optional(),
});
/** Any other message type; `content` becomes the field with the name of the type. */
export const OtherMessage = Writing.extend({
  type: z.enum(['location', 'contacts', 'reaction', 'unsupported', 'order', 'edit', 'revoke', 'system']),
  content: z.unknown(),
});
export const BlockRequest = Acting.extend({ blocked: z.boolean() });
export const ReadRequest = Acting;

/** Sends a person's text. */
export function sendText(deps: GraphDeps, given: z.output<typeof TextMessage>): MessageView {
  return putFromPerson(deps, given, { type: 'text', text: given.text, content: { text: { body: given.text } } });
}

/** Presses a bot's button or chooses a list row as a person. */
export function pressButton(deps: GraphDeps, { from, button, messageId }: z.output<typeof ButtonPress>): MessageView {
  const { store } = deps;
  const candidates = store.messagesOf(from).filter(({ fromBot, id }) => fromBot && id === (messageId ?? id));
  for (const message of candidates.reverse()) {
    const replying = { from, replyTo: message.id, forwarded: false };
    // Quick replies of a template are unknown, because only its definition has them.
    if (message.type === 'template' && messageId !== undefined) {
      const content = { button: { payload: button, text: button } };
      return putFromPerson(deps, replying, { type: 'button', text: button, content });
    }
    const found = message.buttons.find(({ id, title }) => id === button || title === button);
    if (!found) continue;
    const type = message.listButton === null ? 'button_reply' : 'list_reply';
    const { id, title, description } = found;
    const reply = { id, title, ...(description === null ? {} : { description }) };
    const content = { interactive: { type, [type]: reply } };
    return putFromPerson(deps, replying, { type: 'interactive', text: title, content });
  }
  throw new PersonError(404, `No message has a button "${button}".`);
}

/** Sends a person's file, recording or sticker. */
export function sendFile(deps: GraphDeps, given: z.output<typeof FileMessage>): MessageView {
  const { kind, mimeType, caption, name } = given;
  const bytes = Buffer.from(given.bytes, 'base64');
  if (bytes.length === 0) throw new PersonError(400, 'The file is empty.');
  const media = deps.store.putMedia({ mimeType, bytes, name: name ?? null });
  const type = kind === 'voice' ? 'audio' : kind;
  const described = {
    ...(caption === undefined ? {} : { caption }),
    ...(kind === 'document' ? { filename: name ?? 'file' } : {}),
    ...(type === 'audio' ? { voice: kind === 'voice' } : {}),
    ...(kind === 'sticker' ? { animated: false } : {}),
    mime_type: mimeType,
    sha256: media.sha256,
    id: media.id,
  };
  const shown = { type, text: caption ?? '', mediaId: media.id, fileName: name ?? null };
  return putFromPerson(deps, given, { ...shown, content: { [type]: described } });
}

/** Sends a location, contact, reaction, edit or deletion of a person. */
export function sendOtherMessage(deps: GraphDeps, given: z.output<typeof OtherMessage>): MessageView {
  const { type, content } = given;
  // An unsupported message has errors instead of content.
  const key = type === 'unsupported' ? 'errors' : type;
  return putFromPerson(deps, given, { type, text: '', content: { [key]: content } });
}

/** Blocks or unblocks the bot as a person. */
export function setBlocked({ store }: GraphDeps, { from, blocked }: z.output<typeof BlockRequest>): void {
  if (blocked) store.blocked.add(from);
  else store.blocked.delete(from);
}

/** Marks all messages of the bot as read by a person. */
export function markAllRead({ store, webhooks }: GraphDeps, { from }: z.output<typeof ReadRequest>): void {
  for (const message of store.messagesOf(from)) {
    if (!message.fromBot || message.status !== 'delivered') continue;
    store.setStatus(message.id, 'read');
    webhooks.add(toStatusNotice({ message, status: 'read', at: store.now() }));
  }
}

function putFromPerson(
  deps: GraphDeps,
  given: { readonly from: string; readonly replyTo?: string | undefined; readonly forwarded: boolean },
  shown: Pick<MessageView, 'type' | 'text'> & Partial<MessageView> & { readonly content: object },
): MessageView {
  const { store, webhooks } = deps;
  const person = requirePerson(deps, given.from);
  if (store.blocked.has(person.id)) throw new PersonError(403, `${person.name} blocked the bot: unblock it first.`);
  const replied = given.replyTo === undefined ? null : store.findMessage(given.replyTo);
  if (replied === undefined) throw new PersonError(404, `There is no message ${given.replyTo}.`);
  const { content, ...view } = shown;
  const { id, at } = store.putMessage({
    buttons: [],
    listButton: null,
    mediaId: null,
    fileName: null,
    status: null,
    ...view,
    person: person.id,
    fromBot: false,
    replyTo: replied?.id ?? null,
  });
  const author = replied?.fromBot ? webhooks.phone.display : person.id;
  const context = {
    ...(replied ? { from: author, id: replied.id } : {}),
    ...(given.forwarded ? { forwarded: true } : {}),
  };
  const hasContext = Object.keys(context).length > 0;
  webhooks.add(toMessageNotice({ person, id, type: view.type, content, at, context: hasContext ? context : null }));
  return store.findMessage(id) ?? fail();
}

function requirePerson({ store }: GraphDeps, id: string): Person {
  const person = store.people.get(id);
  if (!person) throw new PersonError(404, `There is no person ${id}. POST /api/people {"id":…,"name":…} adds one.`);
  return person;
}

function fail(): never {
  throw new PersonError(500, 'The message was not stored.');
}
