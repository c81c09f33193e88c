import type { InlineKeyboardButton, MessageEntity, RichMessage } from 'grammy/types';
import { z } from 'zod';
import { badRequest } from '../bot-error.ts';
import { BUTTON_ACTIONS, findButtonProblem } from './messages/button-rules.ts';
import type { Keyboard } from '../store/event.ts';
import type { Upload } from './multipart.ts';
import { readRichMessage } from './messages/rich-reader.ts';

/** What a bot sent with a call. */
export interface Parameters {
  readonly values: Readonly<Record<string, unknown>>;
  /** Uploaded files by the names of their fields. */
  readonly files: ReadonlyMap<string, Upload>;
  /** Parameters whose value is against the types of the Bot API. */
  readonly wrong: readonly string[];
}

/**
 * Checks the parameters of a method. Throws BotError 400 whose reason is the message of the first problem: in Telegram's
 * words where they are known, then for whatever else is against the types of the Bot API.
 */
export function parseParameters<Schema extends z.ZodType>(schema: Schema, parameters: Parameters): z.output<Schema> {
  const parsed = schema.safeParse(parameters.values);
  if (parsed.success) {
    const [wrong] = parameters.wrong;
    if (wrong !== undefined) throw badRequest(`wrong parameter ${wrong} in request`);
    return parsed.data;
  }
  const issue = parsed.error.issues[0];
  const message = issue?.message ?? 'Invalid';
  // Where a schema has no words of its own, the library's would say nothing about the parameter.
  throw badRequest(/^(Invalid|Too) /.test(message) ? `wrong parameter ${issue?.path.join('.')} in request` : message);
}

/** A form or a query carries numbers as text, and Telegram takes text in JSON too. */
export function integer(error: string): z.ZodType<number> {
  return z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value),
    z.int({ error }),
  );
}

/** Telegram takes true, "true", 1 and "1" for yes and everything else for no. */
export const flag = z.preprocess((value) => ['true', '1', 'True', 'yes'].includes(String(value)), z.boolean());

/** Objects and lists come as JSON, or as JSON in text. */
export function jsonOf<Schema extends z.ZodType>(schema: Schema, error: string): z.ZodType<z.output<Schema>> {
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

/** The kinds of updates that the bot wants; undefined keeps what it said last. */
export const allowedUpdates = jsonOf(
  z.array(z.string(), { error: "can't parse allowed_updates: expected an Array of String" }),
  "can't parse allowed_updates JSON object",
).optional();

/** A chat by number or @name; the name leads nowhere here, so it is "chat not found" later. */
export const chatId = z.preprocess(
  (value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value),
  z.union([z.int(), z.string().min(1)], { error: 'chat_id is empty' }),
);

export const messageId = integer('message identifier is not specified');

/** A language of two letters; empty for all. */
export const languageCode = z
  .string()
  .regex(/^([a-z]{2})?$/, 'invalid language code specified')
  .default('');

/** A topic of a forum. */
export const threadId = integer('message_thread_id must be an Integer').optional();

/** `wrong` says whether they are entities: see parseParameters. */
export const entities = jsonOf(
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
  // `findKeyboardProblem` made sure that it has a text and an action.
  .transform((button) => button as unknown as InlineKeyboardButton);

/** What makes a client begin an answer. It shows nothing. */
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

/** The keyboard of a message; null if there is none or it has no buttons. */
export const keyboard = jsonOf(Markup, "can't parse reply keyboard markup JSON object")
  .optional()
  .transform((markup): Keyboard | null => {
    const rows = markup?.inline_keyboard.filter((row) => row.length > 0) ?? [];
    return rows.length === 0 ? null : rows;
  });

/** The blocks of a message. */
export const richMessage = readRich({ isDraft: false });
/** The blocks of a draft, which may say that the bot thinks. */
export const richDraft = readRich({ isDraft: true });

/** Texts are formatted by entities here, so markup of a text would be shown raw, or hide a mistake. */
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

/** The reader's refusals are BotErrors, which pass through the schema as they are. */
function readRich(options: { readonly isDraft: boolean }): z.ZodType<RichMessage> {
  return jsonOf(
    z.unknown().transform((value) => readRichMessage(value, options)),
    "can't parse rich message JSON object",
  );
}
