import { z } from 'zod';
import { Receipt } from './envelope.ts';

/* Props of each type of page component. Texts are markdown unless stated otherwise; the page shows an unknown type as an error box. */

/** Buttons below a component; a `client.action` frame names a button by its index. Labels are plain text. */
const Buttons = z.object({
  buttons: z.array(z.object({ label: z.string().min(1) })).default([]),
  /** Index of the pressed button; after the press all buttons are disabled. */
  pressed: z.int().nonnegative().nullable().default(null),
});

/** Title of the component, as plain text. */
const Title = z.object({ title: z.string().nullable().default(null) });

/** A file at `/files/<artifactId>`. */
const PageFile = z.object({
  artifactId: z.string().min(1),
  name: z.string().min(1),
  sizeBytes: z.int().nonnegative().nullable().default(null),
});
export type PageFile = z.infer<typeof PageFile>;

export const PAGE_COMPONENTS = {
  /** A chat message. `messageId` is the page's own id for a message that the person sent and the gateway has stored. */
  Message: Buttons.extend({
    from: z.enum(['agent', 'person']),
    text: z.string(),
    at: z.iso.datetime(),
    messageId: z.string().nullable().default(null),
    /** Author of the message, when it is neither the reader nor the agent. Plain text. */
    author: z.string().nullable().default(null),
    /** Language of the text as a BCP 47 code; null when unknown. */
    language: z.string().nullable().default(null),
    receipts: z.array(Receipt).default([]),
    files: z.array(PageFile).default([]),
  }),
  /** An approval card. `bound`: everything that the approval's hash covers, expanded in the card; null when the text shows it. */
  Approval: Buttons.extend({
    text: z.string(),
    bound: z.string().nullable().default(null),
    at: z.iso.datetime(),
    language: z.string().nullable().default(null),
    hash: z.string().nullable().default(null),
    /** Name of the person who requested the action, as plain text. */
    askedBy: z.string().nullable().default(null),
    expiresAt: z.iso.datetime().nullable().default(null),
  }),
  /** Progress of running work; the component is replaced as the work advances. */
  Progress: Buttons.extend({ text: z.string(), isDone: z.boolean().default(false) }),
  /** An answer that the agent is still writing. Removed, or replaced by a message, when the answer is final. */
  Draft: z.object({ text: z.string() }),
  Receipts: z.object({ receipts: z.array(Receipt) }),
  Files: z.object({ files: z.array(PageFile) }),
  DataCard: Title.extend(Buttons.shape).extend({
    text: z.string().default(''),
    fields: z.array(z.object({ label: z.string(), value: z.string() })).default([]),
  }),
  Timeline: Title.extend({
    steps: z.array(
      z.object({
        label: z.string(),
        state: z.enum(['waiting', 'running', 'done', 'failed']),
        note: z.string().nullable().default(null),
      }),
    ),
  }),
  Table: Title.extend({ columns: z.array(z.string()).min(1), rows: z.array(z.array(z.string())) }),
  List: Title.extend({ items: z.array(z.string()), isOrdered: z.boolean().default(false) }),
  /** A single button; its index is 0. */
  Button: z.object({ label: z.string().min(1), isPressed: z.boolean().default(false) }),
  Text: z.object({ text: z.string() }),
  Notice: z.object({ text: z.string(), tone: z.enum(['info', 'warning', 'error']).default('info') }),
} as const;

export type ComponentType = keyof typeof PAGE_COMPONENTS;
export type ComponentProps<T extends ComponentType> = z.infer<(typeof PAGE_COMPONENTS)[T]>;
