import { z } from 'zod';
import { badRequest } from '../../bot-error.ts';
import { resolveFile } from '../bot-files.ts';
import { type MessageContent, sendContent, Target } from './bot-messages.ts';
import * as parameter from '../bot-parameters.ts';
import { parseParameters, type Parameters } from '../bot-parameters.ts';
import type { FileKind } from '../../files/file-store.ts';
import { formatBotText, type FormattedText } from './message-entities.ts';
import type { BotMessage } from './bot-message-shape.ts';
import type { Store } from '../../store/store.ts';

const MAX_CAPTION_LENGTH = 1_024;

/** The text below a file, which may be missing. */
const Caption = z.object({
  caption: z.coerce.string().default(''),
  caption_entities: parameter.entities,
  parse_mode: parameter.parseMode,
});
const SendFile = Target.extend(Caption.shape).extend({
  duration: parameter.integer('duration must be an Integer').optional(),
});

/** A caption as Telegram keeps it. Throws BotError 400 if it is too long. */
function formatCaption(given: z.output<typeof Caption>): FormattedText {
  if (given.caption.trim() === '') return { text: '', entities: [] };
  const formatted = formatBotText(given.caption, given.caption_entities);
  if (formatted.text.length > MAX_CAPTION_LENGTH) throw badRequest('message caption is too long');
  return formatted;
}

/** sendDocument: any file. sendPhoto: a picture, which Telegram scales and shows. sendVoice: a recording. */
export function sendFile(kind: FileKind): (store: Store, parameters: Parameters) => BotMessage {
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
