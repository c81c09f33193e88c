import { z } from 'zod';

/*
 * The border. A webhook has entries, an entry changes, and a change what it tells of. Everything in it is text from outside, although
 * Meta signed it: a person chose the name, the words and the file names. What is not known is left out.
 */

/** A cut that keeps ids within the database's limits; WhatsApp's have about 80 characters. */
const id = z.string().min(1).max(160);

const Media = z.object({
  id: z.string().min(1).max(160),
  mime_type: z.string().optional(),
  filename: z.string().optional(),
  caption: z.string().optional(),
  voice: z.boolean().optional(),
});
export type Media = z.infer<typeof Media>;

const Reply = z.object({ id: z.string().max(256), title: z.string() });

export const Message = z.object({
  id,
  /** The phone number; left out of people who show only a user name. */
  from: z.string().max(40).optional(),
  timestamp: z.string().regex(/^\d{1,12}$/),
  type: z.string().max(40),
  context: z
    .object({
      id: id.optional(),
      from: z.string().optional(),
      forwarded: z.boolean().optional(),
      frequently_forwarded: z.boolean().optional(),
    })
    .optional()
    .catch(undefined),
  text: z.object({ body: z.string() }).optional(),
  document: Media.optional(),
  image: Media.optional(),
  audio: Media.optional(),
  video: Media.optional(),
  button: z.object({ text: z.string() }).optional(),
  interactive: z.object({ button_reply: Reply.optional(), list_reply: Reply.optional() }).optional().catch(undefined),
  edit: z
    .object({
      original_message_id: id,
      message: z.looseObject({ type: z.string(), text: z.object({ body: z.string() }).optional() }),
    })
    .optional()
    .catch(undefined),
  system: z.object({ type: z.string(), wa_id: z.string().optional() }).optional().catch(undefined),
});
export type Message = z.infer<typeof Message>;

export const Status = z.object({
  id,
  status: z.string(),
  recipient_id: z.string().optional(),
  errors: z
    .array(z.object({ code: z.int(), title: z.string().optional() }))
    .default([])
    .catch([]),
});
export type Status = z.infer<typeof Status>;

const Value = z.object({
  metadata: z.object({ phone_number_id: z.string() }),
  contacts: z
    .array(z.object({ wa_id: z.string().optional(), profile: z.object({ name: z.string() }).optional() }))
    .optional()
    .catch(undefined),
  messages: z.array(z.unknown()).default([]),
  statuses: z.array(z.unknown()).default([]),
  errors: z.array(z.unknown()).default([]),
});

export const Webhook = z.object({
  object: z.literal('whatsapp_business_account'),
  entry: z.array(z.object({ changes: z.array(z.object({ field: z.string(), value: z.unknown() })) })),
});

/** What a change tells of messages; null for a change of anything else. */
export function readValue(change: { readonly field: string; readonly value?: unknown }): z.infer<typeof Value> | null {
  if (change.field !== 'messages') return null;
  return Value.safeParse(change.value).data ?? null;
}
