import { z } from 'zod';

/*
 * Webhooks hold entries, which hold changes, which hold messages. All of it is untrusted text, although Meta signed it.
 * Unknown and null fields are dropped, and so is a part of unknown shape, without the parts beside it.
 */

/** Meta writes some texts as numbers. */
const text = z.union([z.string(), z.int().transform(String)]);
/** An id of at most 160 characters, which the database takes; WhatsApp's have about 80. */
const id = z
  .string()
  .min(1)
  .max(160)
  .refine((given) => given.isWellFormed() && !given.includes('\0'));
const maybe = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);
/** The valid items of a list; empty when the value is no list. */
const listOf = <T extends z.ZodType>(schema: T) =>
  z
    .array(z.unknown())
    .catch([])
    .default([])
    .transform((items) =>
      items.flatMap((item) => {
        const read = schema.safeParse(item);
        return read.success ? [read.data] : [];
      }),
    );

const Media = z.object({
  id: z.union([id, z.int().transform(String)]),
  mime_type: maybe(z.string()),
  filename: maybe(text),
  caption: maybe(text),
  voice: maybe(z.boolean()),
});
export type Media = z.infer<typeof Media>;

const Reply = z.object({ id: z.string().max(256).catch('') });
const Words = z.object({ body: text });

export const Message = z.object({
  id,
  /** The phone number; missing for people who only have a user name. */
  from: maybe(text),
  timestamp: maybe(text),
  type: z.string().max(40).catch(''),
  context: maybe(
    z.object({
      id: maybe(id),
      from: maybe(text),
      forwarded: maybe(z.boolean()),
      frequently_forwarded: maybe(z.boolean()),
    }),
  ),
  text: maybe(Words),
  document: maybe(Media),
  image: maybe(Media),
  audio: maybe(Media),
  video: maybe(Media),
  button: maybe(z.object({ text })),
  interactive: maybe(z.object({ button_reply: maybe(Reply), list_reply: maybe(Reply) })),
  edit: maybe(z.object({ original_message_id: id, message: z.object({ text: maybe(Words) }) })),
  system: maybe(z.object({ type: z.string(), wa_id: maybe(text), customer: maybe(text) })),
  /** Stays the same when the person changes their number. */
  from_user_id: maybe(id),
  /** The hash of the device's key; sent when identity checks are on. */
  identity: maybe(z.object({ hash: id })),
});
export type Message = z.infer<typeof Message>;

export const DeliveryStatus = z.object({
  id,
  status: z.string(),
  recipient_id: maybe(text),
  errors: listOf(z.object({ code: z.coerce.number().int(), title: maybe(z.string()) })),
});
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

const WebhookValue = z.object({
  metadata: z.object({ phone_number_id: text }),
  contacts: listOf(
    z.object({
      wa_id: text,
      profile: z.object({ name: text.catch('') }).catch({ name: '' }),
      user_id: maybe(id),
      identity_key_hash: maybe(id),
    }),
  ),
  messages: z.array(z.unknown()).default([]),
  statuses: z.array(z.unknown()).default([]),
  errors: z.array(z.unknown()).catch([]).default([]),
});
export type WebhookValue = z.infer<typeof WebhookValue>;

const Webhook = z.object({ object: z.literal('whatsapp_business_account'), entry: z.array(z.unknown()) });
const Entry = z.object({ changes: z.array(z.unknown()) });
const Change = z.object({ field: z.string(), value: z.unknown() });

/** The deepest nesting that is read; the items of an order are at 11. */
const DEEPEST = 24;

/** The message changes of a webhook, and the number of unreadable parts. Never throws. */
export function readValues(raw: unknown): { readonly values: readonly WebhookValue[]; readonly unread: number } {
  const webhook = Webhook.safeParse(withoutNulls(raw)).data;
  if (!webhook) return { values: [], unread: 1 };
  const entries = webhook.entry.map((entry) => Entry.safeParse(entry).data ?? null);
  const changes = entries.flatMap((entry) => entry?.changes ?? []).map((one) => Change.safeParse(one).data ?? null);
  // Changes of other fields are ignored.
  const messageChanges = changes.filter((change) => change === null || change.field === 'messages');
  const values = messageChanges.map((change) => (change && WebhookValue.safeParse(change.value).data) ?? null);
  return {
    values: values.filter((value) => value !== null),
    unread: [...entries, ...values].filter((one) => one === null).length,
  };
}

/** Removes null members, which mean the same as missing ones, and parts that are nested too deep. */
function withoutNulls(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return undefined;
  if (Array.isArray(value)) return value.map((one) => withoutNulls(one, depth + 1));
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member, depth + 1)]));
}
