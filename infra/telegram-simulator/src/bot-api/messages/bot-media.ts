import { z } from 'zod';
import { createBadRequest } from '../../bot-error.ts';
import { resolveFile } from '../bot-files.ts';
import { type MessageContent, sendContent, SendTarget } from './bot-messages.ts';
import * as parameter from '../bot-parameters.ts';
import { parseParameters, type Parameters } from '../bot-parameters.ts';
import type { FileKind } from '../../files/file-store.ts';
import { formatBotText, type FormattedText } from './message-entities.ts';
import type { BotMessage } from './bot-message-shape.ts';
import type { Store } from '../../store/store.ts';

const MAX_CAPTION_LENGTH = 1_024;

/** Caption of a file, optional. */
const Caption = z.object({
  caption: z.coerce.string().default(''),
  caption_entities: parameter.entities,
  parse_mode: parameter.parseMode,
});
const SendFile = SendTarget.extend(Caption.shape).extend({
  duration: parameter.acceptInteger('duration must be an Integer').optional(),
});

/** Formats a caption as Telegram does. Throws BotError 400 when it is too long. */
function formatCaption(given: z.output<typeof Caption>): FormattedText {
  if (given.caption.trim() === '') return { text: '', entities: [] };
  const formatted = formatBotText(given.caption, given.caption_entities);
  if (formatted.text.length > MAX_CAPTION_LENGTH) throw createBadRequest('message caption is too long');
  return formatted;
}

/** Creates the method sendDocument, sendPhoto or sendVoice. Telegram scales photos. */
export function createSendMethod(kind: FileKind): (store: Store, parameters: Parameters) => BotMessage {
  return (store, parameters) => {
    const given = parseParameters(SendFile, parameters);
    const read = (): MessageContent => {
      const caption = formatCaption(given);
      const file = resolveFile(store, parameters, { kind, durationSeconds: given.duration });
      return { ...caption, rich: null, fileId: file.fileId };
    };
    return sendContent(store, given, read);
  };
}
