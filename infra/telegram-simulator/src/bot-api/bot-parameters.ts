import type { InlineKeyboardButton, MessageEntity, RichMessage } from 'grammy/types';
import { z } from 'zod';
import { createBadRequest } from '../bot-error.ts';
import { BUTTON_ACTIONS, findButtonProblem } from './messages/button-rules.ts';
import type { Keyboard } from '../store/event.ts';
import type { Upload } from './multipart.ts';
import { readRichMessage } from './messages/rich-reader.ts';

/** Parameters of a Bot API call. */
export interface Parameters {
  readonly values: Readonly<Record<string, unknown>>;
  /** Uploaded files by field name. */
  readonly files: ReadonlyMap<string, Upload>;
  /** Parameters with a value of the wrong type. */
  readonly wrong: readonly string[];
}

/** Validates parameters. Throws BotError 400 for the first problem, in Telegram's words if known. */
export function parseParameters<Schema extends z.ZodType>(schema: Schema, parameters: Parameters): z.output<Schema> {
  const parsed = schema.safeParse(parameters.values);
  if (parsed.success) {
    const [wrong] = parameters.wrong;
    if (wrong !== undefined) throw createBadRequest(`wrong parameter ${wrong} in request`);
    return parsed.data;
  }
  const issue = parsed.error.issues[0];
  const message = issue?.message ?? 'Invalid';
  // Zod's default messages would not name the parameter.
  throw createBadRequest(
    /^(Invalid|Too) /.test(message) ? `wrong parameter ${issue?.path.join('.')} in request` : message,
  );
}

/** Accepts integers as text too, because forms and queries have only text. */
export function acceptInteger(error: string): z.ZodType<number> {
  return z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value),
    z.int({ error }),
  );
}

/** Reads true, "true", 1 and "1" as true and everything else as false, as Telegram does. */
export const flag = z.preprocess((value) => ['true', '1', 'True', 'yes'].includes(String(value)), z.boolean());

/** Accepts an object or list directly, or as JSON text. */
export function createJsonSchema<Schema extends z.ZodType>(schema: Schema, error: string): z.ZodType<z.output<Schema>> {
  return z.preprocess((value, context) => {
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value);
    } catch {
      context.addIssue({ code: 'custom', message: error });
      return z.NEVER;
    }
  }, schema);
}

/** Update kinds that the bot requests; undefined keeps the previous list. */
export const allowedUpdates = createJsonSchema(
  z.array(z.string(), { error: "can't parse allowed_updates: expected an Array of String" }),
  "can't parse allowed_updates JSON object",
).optional();

/** A chat by number or @name. Names are never found here, which gives "chat not found". */
export const chatId = z.preprocess(
  (value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value),
  z.union([z.int(), z.string().min(1)], { error: 'chat_id is empty' }),
);

export const messageId = acceptInteger('message identifier is not specified');

/** A two-letter language code; empty for all languages. */
export const languageCode = z
  .string()
  .regex(/^([a-z]{2})?$/, 'invalid language code specified')
  .default('');

/** Topic number in a forum. */
export const threadId = acceptInteger('message_thread_id must be an Integer').optional();

/** Values of a wrong type are listed in `Parameters.wrong`, which parseParameters checks. */
export const entities = createJsonSchema(
  z.custom<readonly MessageEntity[]>(Array.isArray, "can't parse entities: expected an Array of MessageEntity"),
  "can't parse entities JSON object",
).default([]);

const KEYBOARD_ACTIONS = [...BUTTON_ACTIONS, 'callback_game', 'pay'];

const Button = z
  .looseObject({ text: z.string({ error: `can't parse inline keyboard button: Can't find field "text"` }) })
  .superRefine((button, context) => {
    const problem = findKeyboardProblem(button);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  })
  // `findKeyboardProblem` has checked that the button has a text and an action.
  .transform((button) => button as unknown as InlineKeyboardButton);

/** Asks the client to start a reply; displays nothing. */
const ForceReply = z.looseObject({ force_reply: z.literal(true) }).transform(() => ({ inline_keyboard: [] }));

const InlineKeyboard = z.looseObject(
  {
    inline_keyboard: z.array(z.array(Button, { error: "can't parse reply keyboard markup JSON object" }), {
      error: 'the simulator shows inline keyboards only: send reply_markup.inline_keyboard',
    }),
  },
  { error: 'object expected as reply markup' },
);

const Markup = z.union([ForceReply, InlineKeyboard]);

/** Inline keyboard of a message; null when it has no buttons. */
export const keyboard = createJsonSchema(Markup, "can't parse reply keyboard markup JSON object")
  .optional()
  .transform((markup): Keyboard | null => {
    const rows = markup?.inline_keyboard.filter((row) => row.length > 0) ?? [];
    return rows.length === 0 ? null : rows;
  });

export const richMessage = readRich({ isDraft: false });
/** Blocks of a draft, which may contain a `thinking` block. */
export const richDraft = readRich({ isDraft: true });

/** Refuses markup modes, because the simulator supports only entities. */
export const parseMode = z
  .literal('', { error: 'the simulator shows entities only: send entities instead of parse_mode' })
  .optional();

const STYLES = ['danger', 'success', 'primary'];

function findKeyboardProblem(button: Readonly<Record<string, unknown>>): string | null {
  if (button['text'] === '') return 'text of the button is empty';
  const style = button['style'];
  if (style !== undefined && !STYLES.includes(String(style))) return 'invalid button style specified';
  const action = KEYBOARD_ACTIONS.find((name) => button[name] !== undefined);
  if (!action) return "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard";
  return findButtonProblem(action, button[action]);
}

/** readRichMessage throws BotErrors, which the schema passes on unchanged. */
function readRich(options: { readonly isDraft: boolean }): z.ZodType<RichMessage> {
  return createJsonSchema(
    z.unknown().transform((value) => readRichMessage(value, options)),
    "can't parse rich message JSON object",
  );
}
