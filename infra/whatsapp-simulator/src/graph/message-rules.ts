import { z } from 'zod';

/** Limits of Meta's message reference, in visible characters. */
const LIMITS = { text: 4_096, interactive: 1_024, caption: 1_024, button: 20, row: 24, description: 72, rows: 10 };

const length = (max: number) =>
  z
    .string()
    .min(1)
    .refine((text) => [...text].length <= max, `is longer than ${max} characters`);
const unique = (values: readonly string[]): boolean => new Set(values).size === values.length;

const ReplyButton = z.strictObject({
  type: z.literal('reply'),
  reply: z.strictObject({ id: length(256), title: length(LIMITS.button) }),
});
const Row = z.strictObject({
  id: length(200),
  title: length(LIMITS.row),
  description: length(LIMITS.description).optional(),
});
const Section = z.strictObject({ title: length(24).optional(), rows: z.array(Row).min(1).max(LIMITS.rows) });
const Texts = {
  header: z.strictObject({ type: z.literal('text'), text: length(60) }).optional(),
  body: z.strictObject({ text: length(LIMITS.interactive) }),
  footer: z.strictObject({ text: length(60) }).optional(),
};

const Buttons = z.strictObject({
  type: z.literal('button'),
  ...Texts,
  action: z.strictObject({
    buttons: z
      .array(ReplyButton)
      .min(1)
      .max(3)
      .refine((buttons) => unique(buttons.map(({ reply }) => reply.title)), 'two buttons have the same title')
      .refine((buttons) => unique(buttons.map(({ reply }) => reply.id)), 'two buttons have the same id'),
  }),
});
const List = z.strictObject({
  type: z.literal('list'),
  ...Texts,
  action: z.strictObject({
    button: length(LIMITS.button),
    sections: z
      .array(Section)
      .min(1)
      .max(LIMITS.rows)
      .refine((sections) => sections.length === 1 || sections.every(({ title }) => title), 'a section has no title')
      .refine((sections) => sections.flatMap(({ rows }) => rows).length <= LIMITS.rows, 'more than 10 rows')
      .refine((sections) => unique(sections.flatMap(({ rows }) => rows.map(({ id }) => id))), 'two rows have one id'),
  }),
});

const Addressed = z.strictObject({
  messaging_product: z.literal('whatsapp'),
  recipient_type: z.literal('individual').optional(),
  to: z.string().regex(/^\+?\d{5,20}$/, 'is not a phone number'),
  context: z.strictObject({ message_id: z.string().min(1) }).optional(),
  biz_opaque_callback_data: length(512).optional(),
});
const mediaId = z.string().min(1);
const caption = length(LIMITS.caption).optional();

/** A message that a bot posts. */
export const BotMessage = z.discriminatedUnion('type', [
  Addressed.extend({
    type: z.literal('text'),
    text: z.strictObject({ body: length(LIMITS.text), preview_url: z.boolean().optional() }),
  }),
  Addressed.extend({ type: z.literal('interactive'), interactive: z.discriminatedUnion('type', [Buttons, List]) }),
  Addressed.extend({
    type: z.literal('document'),
    document: z.strictObject({ id: mediaId, caption, filename: length(240).optional() }),
  }),
  Addressed.extend({ type: z.literal('image'), image: z.strictObject({ id: mediaId, caption }) }),
  Addressed.extend({ type: z.literal('audio'), audio: z.strictObject({ id: mediaId }) }),
  Addressed.extend({
    type: z.literal('template'),
    template: z.strictObject({
      name: z.string().regex(/^[a-z0-9_]{1,512}$/),
      language: z.strictObject({ code: z.string().regex(/^[a-z]{2,3}(_[A-Z]{2})?$/) }),
      components: z.array(z.record(z.string(), z.unknown())).optional(),
    }),
  }),
  Addressed.extend({
    type: z.literal('reaction'),
    reaction: z.strictObject({ message_id: z.string().min(1), emoji: z.string() }),
  }),
]);
export type BotMessage = z.output<typeof BotMessage>;

/** Marks a person's message as read; may show the typing indicator. */
export const ReadMark = z.strictObject({
  messaging_product: z.literal('whatsapp'),
  status: z.literal('read'),
  message_id: z.string().min(1),
  typing_indicator: z.strictObject({ type: z.literal('text') }).optional(),
});

/** Lists the problems of a body, one sentence per field. */
export function describeIssues(error: z.ZodError): readonly string[] {
  return error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
}
