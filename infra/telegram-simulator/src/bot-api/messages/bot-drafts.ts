import { z } from 'zod';
import { requireWritableChat } from '../bot-access.ts';
import { badRequest } from '../bot-error.ts';
import { formatLimited, PlainText } from './bot-messages.ts';
import * as parameter from '../bot-parameters.ts';
import { parseParameters, type Parameters } from '../bot-parameters.ts';
import type { Draft } from '../../store/draft.ts';
import { showDraft } from '../../store/drafts.ts';
import { GROUP } from '../../people/people.ts';
import { toPlainText } from '../../rich/rich-text-form.ts';
import type { World } from '../../store/world.ts';

const Target = z.object({
  chat_id: parameter.chatId,
  draft_id: parameter.integer('draft_id must be an Integer').refine((id) => id !== 0, 'draft_id must be non-zero'),
  can_stop: parameter.flag.default(false),
  keep_on_stop: parameter.flag.default(false),
});
const SendMessageDraft = Target.extend(PlainText.shape);

/** sendMessageDraft: shows what the bot has written so far. An empty text is a "Thinking…" placeholder. */
export function sendMessageDraft(world: World, parameters: Parameters): true {
  const given = parseParameters(SendMessageDraft, parameters);
  return draft(world, given, () => {
    const isEmpty = given.text.trim() === '';
    return { ...(isEmpty ? { text: '', entities: [] } : formatLimited(given.text, given.entities)), rich: null };
  });
}

const SendRichMessageDraft = Target.extend({ rich_message: parameter.richDraft });

/** sendRichMessageDraft: the same with blocks, among them `thinking`. */
export function sendRichMessageDraft(world: World, parameters: Parameters): true {
  const given = parseParameters(SendRichMessageDraft, parameters);
  const rich = given.rich_message;
  return draft(world, given, () => ({ text: toPlainText(rich), entities: [], rich }));
}

function draft(
  world: World,
  target: z.output<typeof Target>,
  read: () => Pick<Draft, 'text' | 'entities' | 'rich'>,
): true {
  const chatId = requireWritableChat(world, target.chat_id);
  if (chatId === GROUP.id) throw badRequest('TEXTDRAFT_PEER_INVALID');
  showDraft(world, {
    chatId,
    draftId: target.draft_id,
    ...read(),
    canStop: target.can_stop,
    keepOnStop: target.keep_on_stop,
    expiresAtMs: Date.now() + world.settings.draftLifeMs,
  });
  return true;
}
