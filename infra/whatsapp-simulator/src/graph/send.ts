import type { ButtonView, MessageView } from '../store/event.ts';
import { toStatusNotice } from '../webhook/notice.ts';
import type { GraphDeps } from './graph-call.ts';
import { GraphError, type RefusalCode, toStatusError } from './graph-error.ts';
import { findMedia } from './media.ts';
import type { BotMessage, ReadMark } from './message-rules.ts';
import type { z } from 'zod';

/** Accepts a bot's message. Throws GraphError to refuse. */
export function acceptMessage(deps: GraphDeps, message: BotMessage): object {
  const { store } = deps;
  const person = message.to.replace(/^\+/, '');
  const refused = findRefusal(deps, message, person);
  if (refused !== null && (store.settings.refuseBy === 'answer' || refused === 132001)) throw new GraphError(refused);
  if (message.type === 'reaction') return acceptReaction(deps, message, person);
  const stored = store.putMessage({
    ...toView(deps, message),
    person,
    fromBot: true,
    replyTo: message.context?.message_id ?? null,
    status: refused === null ? 'sent' : 'failed',
  });
  publishStatus(deps, stored, refused);
  return {
    messaging_product: 'whatsapp',
    contacts: [{ input: message.to, wa_id: person }],
    messages: [{ id: stored.id }],
  };
}

/** Marks a person's message as read and shows the typing indicator. Throws GraphError. */
export function markRead({ store }: GraphDeps, mark: z.output<typeof ReadMark>): object {
  const message = store.findMessage(mark.message_id);
  if (!message || message.fromBot) throw new GraphError(100, 'There is no such message of a person.');
  const { person } = message;
  store.publish({ kind: 'read', person, messageId: message.id });
  if (mark.typing_indicator) store.publish({ kind: 'typing', person, messageId: message.id });
  return { success: true };
}

function findRefusal({ store }: GraphDeps, message: BotMessage, person: string): RefusalCode | null {
  const { settings } = store;
  if (!store.people.has(person)) return settings.testNumber ? 131030 : 131026;
  if (message.type !== 'template') return store.isWindowOpen(person) ? null : 131047;
  const { name, language } = message.template;
  const isApproved = ['*', `${name}/${language.code}`].some((one) => settings.templates.includes(one));
  return isApproved ? null : 132001;
}

function acceptReaction(
  { store }: GraphDeps,
  { to, reaction }: Extract<BotMessage, { type: 'reaction' }>,
  person: string,
): object {
  store.publish({ kind: 'reaction', person, messageId: reaction.message_id, emoji: reaction.emoji });
  const id = `${reaction.message_id}=`;
  return { messaging_product: 'whatsapp', contacts: [{ input: to, wa_id: person }], messages: [{ id }] };
}

/** Sets the status of a message and notifies the bot. A person who has blocked the bot sees nothing, and Meta never reports a delivery. */
function publishStatus({ store, webhooks }: GraphDeps, message: MessageView, refused: RefusalCode | null): void {
  const notify = (status: string, error?: object): void => {
    if (store.settings.statuses || error) webhooks.add(toStatusNotice({ message, status, error, at: store.now() }));
  };
  if (refused !== null) return notify('failed', toStatusError(refused));
  notify('sent');
  if (store.blocked.has(message.person)) return;
  store.setStatus(message.id, 'delivered');
  notify('delivered');
}

type Shown = Pick<MessageView, 'type' | 'text' | 'buttons' | 'listButton' | 'mediaId' | 'fileName'>;
const PLAIN = { buttons: [], listButton: null, mediaId: null, fileName: null };

function toView(deps: GraphDeps, message: Exclude<BotMessage, { type: 'reaction' }>): Shown {
  const { type } = message;
  switch (message.type) {
    case 'text':
      return { ...PLAIN, type, text: message.text.body };
    case 'template':
      return { ...PLAIN, type, text: message.template.name };
    case 'interactive': {
      const { interactive } = message;
      const listButton = interactive.type === 'list' ? interactive.action.button : null;
      return { ...PLAIN, type, text: interactive.body.text, buttons: toButtons(interactive), listButton };
    }
    case 'audio':
      return { ...PLAIN, type, text: '', mediaId: findMedia(deps.store, message.audio.id).id };
    case 'image':
      return { ...PLAIN, type, text: message.image.caption ?? '', mediaId: findMedia(deps.store, message.image.id).id };
    case 'document': {
      const { id, caption, filename } = message.document;
      const text = caption ?? '';
      return { ...PLAIN, type, text, mediaId: findMedia(deps.store, id).id, fileName: filename ?? null };
    }
  }
}

function toButtons(interactive: Extract<BotMessage, { type: 'interactive' }>['interactive']): readonly ButtonView[] {
  if (interactive.type === 'button')
    return interactive.action.buttons.map(({ reply }) => ({ ...reply, description: null }));
  const rows = interactive.action.sections.flatMap((section) => section.rows);
  return rows.map(({ id, title, description }) => ({ id, title, description: description ?? null }));
}
