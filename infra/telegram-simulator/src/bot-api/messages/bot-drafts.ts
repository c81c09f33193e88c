import { z } from 'zod';
import { requireWritableChat } from '../bot-access.ts';
import { createBadRequest } from '../../bot-error.ts';
import { formatLimited, TextParameters } from './bot-messages.ts';
import * as parameter from '../bot-parameters.ts';
import { parseParameters, type Parameters } from '../bot-parameters.ts';
import type { Draft } from '../../store/draft.ts';
import { showDraft } from '../../store/drafts.ts';
import { GROUP } from '../../store/people.ts';
import { toPlainText } from '../../rich/rich-text-form.ts';
import type { Store } from '../../store/store.ts';

const Target = z.object({
  chat_id: parameter.chatId,
  draft_id: parameter
    .acceptInteger('draft_id must be an Integer')
    .refine((id) => id !== 0, 'draft_id must be non-zero'),
  can_stop: parameter.flag.default(false),
  keep_on_stop: parameter.flag.default(false),
});
const SendMessageDraft = Target.extend(TextParameters.shape);

/** sendMessageDraft: shows the text written so far; an empty text shows a "Thinking…" placeholder. */
export function sendMessageDraft(store: Store, parameters: Parameters): true {
  const given = parseParameters(SendMessageDraft, parameters);
  return draft(store, given, () => {
    const isEmpty = given.text.trim() === '';
    return { ...(isEmpty ? { text: '', entities: [] } : formatLimited(given.text, given.entities)), rich: null };
  });
}

const SendRichMessageDraft = Target.extend({ rich_message: parameter.richDraft });

/** sendRichMessageDraft: shows draft blocks, including `thinking`. */
export function sendRichMessageDraft(store: Store, parameters: Parameters): true {
  const given = parseParameters(SendRichMessageDraft, parameters);
  const rich = given.rich_message;
  return draft(store, given, () => ({ text: toPlainText(rich), entities: [], rich }));
}

function draft(
  store: Store,
  target: z.output<typeof Target>,
  read: () => Pick<Draft, 'text' | 'entities' | 'rich'>,
): true {
  const chatId = requireWritableChat(store, target.chat_id);
  if (chatId === GROUP.id) throw createBadRequest('TEXTDRAFT_PEER_INVALID');
  showDraft(store, {
    chatId,
    draftId: target.draft_id,
    ...read(),
    canStop: target.can_stop,
    keepOnStop: target.keep_on_stop,
    expiresAtMs: Date.now() + store.settings.draftLifeMs,
  });
  return true;
}
