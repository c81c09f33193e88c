import { z } from 'zod';
import { Receipt } from './envelope.ts';

/* Props by page component type. Texts are markdown unless stated otherwise; unknown types are shown as an error box. */

/** Buttons under a component; `client.action` refers to one by its index. Labels are plain text. */
const Buttons = z.object({
  buttons: z.array(z.object({ label: z.string().min(1) })).default([]),
  /** Index of the pressed button; all buttons are disabled then. */
  pressed: z.int().nonnegative().nullable().default(null),
});

/** Plain text. */
const Title = z.object({ title: z.string().nullable().default(null) });

/** A file at `/files/<artifactId>`. */
const PageFile = z.object({
  artifactId: z.string().min(1),
  name: z.string().min(1),
  sizeBytes: z.int().nonnegative().nullable().default(null),
});
export type PageFile = z.infer<typeof PageFile>;

export const PAGE_COMPONENTS = {
  /** A chat message. `messageId` is the page's own id of a message that the person sent and the gateway has stored. */
  Message: Buttons.extend({
    from: z.enum(['agent', 'person']),
    text: z.string(),
    at: z.iso.datetime(),
    messageId: z.string().nullable().default(null),
    /** The author, when it is neither the reader nor the agent. Plain text. */
    author: z.string().nullable().default(null),
    /** BCP 47 code; null when unknown. */
    language: z.string().nullable().default(null),
    receipts: z.array(Receipt).default([]),
    files: z.array(PageFile).default([]),
  }),
  /** An approval card. `bound`: everything that the hash covers, opened in place; null when the text shows it already. */
  Approval: Buttons.extend({
    text: z.string(),
    bound: z.string().nullable().default(null),
    at: z.iso.datetime(),
    language: z.string().nullable().default(null),
    hash: z.string().nullable().default(null),
    /** Plain text. */
    askedBy: z.string().nullable().default(null),
    expiresAt: z.iso.datetime().nullable().default(null),
  }),
  /** Work in progress; the component is replaced as the work advances. */
  Progress: Buttons.extend({ text: z.string(), isDone: z.boolean().default(false) }),
  /** An answer that is still being written. Removed, or replaced by a message, when the answer is final. */
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
  /** A single button with index 0. */
  Button: z.object({ label: z.string().min(1), isPressed: z.boolean().default(false) }),
  Text: z.object({ text: z.string() }),
  Notice: z.object({ text: z.string(), tone: z.enum(['info', 'warning', 'error']).default('info') }),
} as const;

export type ComponentType = keyof typeof PAGE_COMPONENTS;
export type ComponentProps<T extends ComponentType> = z.infer<(typeof PAGE_COMPONENTS)[T]>;
