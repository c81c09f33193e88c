import { z } from 'zod';
import { Receipt } from './envelope.ts';

/*
 * What the components of a page show, by type: the `props` of a `Component`. Texts are markdown, unless it says otherwise. Props that
 * are not of this form are shown as an error box, as a type is that is not listed here.
 */

/** Buttons under a component, in order: `client.action` names one by its place. Labels are plain text. */
const Buttons = z.object({
  buttons: z.array(z.object({ label: z.string().min(1) })).default([]),
  /** The place of the one that was pressed: none can be pressed any more. */
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

export const COMPONENTS = {
  /** Something that was said. `messageId` is the page's own id of a message of the person: the gateway has it. */
  Message: Buttons.extend({
    from: z.enum(['agent', 'person']),
    text: z.string(),
    at: z.iso.datetime(),
    messageId: z.string().nullable().default(null),
    /** Who said it, when it is neither the reader nor the agent. Plain text. */
    author: z.string().nullable().default(null),
    /** BCP 47; null when it is not known. */
    language: z.string().nullable().default(null),
    receipts: z.array(Receipt).default([]),
    files: z.array(PageFile).default([]),
  }),
  /** A card that waits for a decision. `bound`: all that is hashed, opened in place; null where the text says it. */
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
  /** Work that is still going on; it is put again as it goes on. */
  Progress: Buttons.extend({ text: z.string(), isDone: z.boolean().default(false) }),
  /** Words that are still being written. The component is removed, or replaced by a message, when they are final. */
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
  /** One button by itself, at place 0. */
  Button: z.object({ label: z.string().min(1), isPressed: z.boolean().default(false) }),
  Text: z.object({ text: z.string() }),
  Notice: z.object({ text: z.string(), tone: z.enum(['info', 'warning', 'error']).default('info') }),
} as const;

export type ComponentType = keyof typeof COMPONENTS;
export type ComponentProps<T extends ComponentType> = z.infer<(typeof COMPONENTS)[T]>;
