import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import { z } from 'zod';

/** A message as a program gets it, pushed or polled. */
export const ProgramMessage = z.object({
  id: z.string().describe('A change of a message has an id of its own and names the changed message in `replaces`.'),
  at: z.iso.datetime(),
  text: z.string().describe('Markdown.'),
  buttons: z
    .array(z.object({ index: z.int().min(0), label: z.string() }).readonly())
    .readonly()
    .describe('Buttons that the `press` of an event may name by index.'),
  final: z.boolean().describe('False for progress, which will change.'),
  replaces: z.string().optional(),
  notice: z.string().optional().describe('A note of the gateway about the message.'),
  receipts: z
    .array(z.object({ what: z.string(), note: z.string() }).readonly())
    .readonly()
    .optional()
    .describe('What the runtime recorded as done; no text can forge these.'),
  files: z.array(z.string()).readonly().optional().describe('Names of the attached files.'),
});
export type ProgramMessage = Readonly<z.infer<typeof ProgramMessage>>;

type MessageContent = Pick<ProgramMessage, 'text' | 'buttons' | 'receipts' | 'files'>;

/** The content of a message, without buttons that decide or end something: those are for people. */
export function toContent({ text, buttons, receipts = [], files = [] }: OutboundBody): MessageContent {
  return {
    text,
    buttons: buttons.flatMap(({ label, act, ends, incident }, index) =>
      act === undefined && ends === undefined && incident === undefined ? [{ index, label }] : [],
    ),
    ...(receipts.length > 0 ? { receipts: receipts.map(({ what, note }) => ({ what, note })) } : {}),
    ...(files.length > 0 ? { files: files.map(({ name }) => name) } : {}),
  };
}
