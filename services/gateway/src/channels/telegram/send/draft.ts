import type { Channel, DraftResult } from '../../channel.ts';
import type { TelegramApi } from '../client.ts';
import { escapeUnmarkedLinks } from '../format/escape-links.ts';
import { encodeMessage, type TelegramContent } from './encode.ts';
import { classifyFailure, isEntityProblem, readErrorCode, findRichRefusal, UNKNOWN_METHOD_CODES } from '../failure.ts';
import { closeMarkdown } from '../format/partial-markdown.ts';
import { callSendDraft } from './part-call.ts';

/** A slower draft is outdated. Shorter than a gateway's claim to a chat's drafts. */
export const DRAFT_TIMEOUT_SECONDS = 4;

/** Shows drafts in the form of their later messages, as far as the server supports that form. Never throws. */
export function createDraftSender(options: {
  readonly api: TelegramApi;
  /** False shows drafts in plain form only. */
  readonly richMessages: boolean;
}): NonNullable<Channel['drafts']>['show'] {
  const { api } = options;
  let rich = options.richMessages;
  return async (chatKey, { draftId, text }) => {
    const attempt = async (content: TelegramContent): Promise<DraftResult> => {
      try {
        await callSendDraft(api, chatKey, draftId, content);
        return { kind: 'shown' };
      } catch (error) {
        if (content.form === 'rich') {
          const refusal = findRichRefusal(error);
          if (refusal?.forGood) rich = false;
          return refusal === null ? toDraftFailure(error) : attempt(formatDraft(chatKey, text, { rich: false }));
        }
        if (content.entities.length === 0 || !isEntityProblem(classifyFailure(error))) return toDraftFailure(error);
        return attempt({ ...content, text: escapeUnmarkedLinks(content.text), entities: [] });
      }
    };
    return attempt(formatDraft(chatKey, text, { rich }));
  };
}

/** Formats the draft of a markdown text like its final form. If that takes several messages, the last one is shown. */
export function formatDraft(chatKey: string, markdown: string, options: { readonly rich: boolean }): TelegramContent {
  const body = { text: closeMarkdown(markdown), buttons: [] };
  const parts = encodeMessage(body, { chatKey, outboxId: 0, simpleFrom: options.rich ? null : 0 });
  return parts.at(-1) ?? { form: 'text', text: '…', entities: [] };
}

function toDraftFailure(error: unknown): DraftResult {
  if (UNKNOWN_METHOD_CODES.has(readErrorCode(error) ?? 0)) return { kind: 'unknown' };
  const failure = classifyFailure(error);
  switch (failure.kind) {
    case 'wait':
      return failure;
    case 'unreachable':
    case 'busy':
    case 'ambiguous':
      return { kind: 'failed', detail: failure.detail };
    default:
      return { kind: 'refused', detail: 'detail' in failure ? failure.detail : failure.kind };
  }
}
