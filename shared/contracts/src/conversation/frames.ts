import { z } from 'zod';
import { TEXT_LIMIT } from './envelope.ts';

/*
 * What travels over a web socket between a page and the gateway. Each frame is `{type, ts, sessionId, payload}`. What a page shows is data:
 * components of A2UI, put and removed by patches. A page that meets a component that it does not know shows an error box in its place.
 */

/** Largest frame of a page, in bytes. */
export const FRAME_LIMIT_BYTES = 64 * 1024;

/** How a page is used: what it shows depends on it. */
export const PageMode = z.object({ mode: z.enum(['voice', 'text']), device: z.enum(['desktop', 'mobile']) });
export type PageMode = z.infer<typeof PageMode>;

/** A part of a page. `type` says how it is drawn, `props` what it shows; texts in them are markdown. */
export const Component = z.object({
  id: z.string().min(1).max(160),
  type: z.string().min(1).max(40),
  props: z.record(z.string(), z.json()),
});
export type Component = z.infer<typeof Component>;

/** `put` adds a component below the others, or replaces the one with its id where it is. */
export const PatchStep = z.discriminatedUnion('op', [
  z.object({ op: z.literal('put'), component: Component }),
  z.object({ op: z.literal('remove'), id: z.string().min(1).max(160) }),
]);
export type PatchStep = z.infer<typeof PatchStep>;

const frame = <const T extends string, P extends z.ZodType>(type: T, payload: P) =>
  z.object({ type: z.literal(type), ts: z.iso.datetime(), sessionId: z.string().min(1).max(80), payload });

/** Said by a page. `id` is the page's own: the same id twice is one message. */
export const ClientFrame = z.discriminatedUnion('type', [
  frame(
    'client.message',
    z.object({
      id: z.string().regex(/^[\w-]{1,64}$/),
      text: z.string().min(1).max(TEXT_LIMIT),
      /** It was spoken. */
      voice: z.boolean().default(false),
    }),
  ),
  frame(
    'client.action',
    z.object({
      id: z.string().regex(/^[\w-]{1,64}$/),
      /** The component whose button was pressed, and which of its buttons. */
      componentId: z.string().min(1).max(160),
      index: z.int().min(0).max(63),
    }),
  ),
  frame('client.mode.update', PageMode),
]);
export type ClientFrame = z.infer<typeof ClientFrame>;

/** Whose words a transcript holds. */
const Transcript = z.object({ speaker: z.enum(['agent', 'person']), text: z.string() });

/** Said by the gateway. Nothing else ever reaches a page: no audit event, no action of somebody else. */
export const ServerFrame = z.discriminatedUnion('type', [
  /** `seq` grows with each patch of a session: a page that comes back asks for what follows the last one that it saw. */
  frame('server.a2ui.patch', z.object({ seq: z.int().nonnegative(), steps: z.array(PatchStep).min(1) })),
  frame('server.agent.thinking', z.object({ active: z.boolean() })),
  /** In voice mode: what the page is to read aloud, in which language. */
  frame('server.voice.say', z.object({ text: z.string(), language: z.string().nullable() })),
  /** The page may listen from now on. */
  frame('server.voice.start', z.object({})),
  /** The page stops reading aloud and listening. */
  frame('server.voice.stop', z.object({})),
  /** Speech that the gateway had synthesized, in base 64. */
  frame('server.voice.audio', z.object({ mimeType: z.string(), data: z.base64() })),
  /** Words that are still being written or recognized; each replaces the one before. */
  frame('server.transcript.partial', Transcript),
  frame('server.transcript.final', Transcript),
]);
export type ServerFrame = z.infer<typeof ServerFrame>;

/** Why a socket was closed by the gateway. */
export const CLOSE_CODES = {
  unknownAgent: 4000,
  notSignedIn: 4001,
  badFrame: 4002,
  tooSlow: 4003,
  tooFast: 4004,
} as const;
