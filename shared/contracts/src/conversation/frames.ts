import { z } from 'zod';
import { MAX_TEXT_LENGTH } from './envelope.ts';
import { PageMode } from './page-mode.ts';

/*
 * What travels over a web socket between a page and the gateway. Each frame is `{type, ts, sessionId, payload}`. What a page shows is data:
 * components of A2UI, put and removed by patches. A page that meets a component that it does not know shows an error box in its place.
 */

/** Largest frame of a page, in bytes. */
export const FRAME_LIMIT_BYTES = 64 * 1024;

/** How something is drawn, and what it shows: see components.ts. */
const Drawn = z.object({ type: z.string().min(1).max(40), props: z.record(z.string(), z.json()) });

/**
 * A part of a page. Components stand in the order of `place`; one keeps its place when it changes. `children` are drawn inside it, below
 * what it shows itself.
 */
export const Component = Drawn.extend({
  id: z.string().min(1).max(160),
  place: z.int().nonnegative(),
  /** What it shows now, for an action: a press means what was seen when it was pressed. */
  version: z.string().max(40).default(''),
  children: z.array(Drawn).default([]),
});
export type Component = z.infer<typeof Component>;

/** `put` adds a component, or replaces all of the one with its id. `clear` removes every component: what follows is all there is. */
export const PatchStep = z.discriminatedUnion('op', [
  z.object({ op: z.literal('put'), component: Component }),
  z.object({ op: z.literal('remove'), id: z.string().min(1).max(160) }),
  z.object({ op: z.literal('clear') }),
]);
export type PatchStep = z.infer<typeof PatchStep>;

const frame = <const T extends string, P extends z.ZodType>(type: T, payload: P) =>
  z.object({ type: z.literal(type), ts: z.iso.datetime(), sessionId: z.string().min(1).max(80), payload });

/** The page's own id of what it says: the same id twice is said once. A UUID fits. */
const ClientId = z.string().regex(/^[\w-]{1,40}$/);

/** Said by a page. `sessionId` is that of the frames that it gets. */
export const ClientFrame = z.discriminatedUnion('type', [
  frame(
    'client.message',
    z.object({
      id: ClientId,
      text: z.string().min(1).max(MAX_TEXT_LENGTH),
      /** It was spoken. */
      voice: z.boolean().default(false),
    }),
  ),
  frame(
    'client.action',
    z.object({
      id: ClientId,
      /** The component whose button was pressed, its version as the page shows it, and which of its buttons. */
      componentId: z.string().regex(/^[\w.-]{1,160}$/),
      version: z.string().max(40).default(''),
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
  /**
   * `seq` grows with each patch of a session: a page that comes back asks for what follows the greatest one that it saw. A patch of what
   * is not kept, such as a draft or another view of what is there, repeats the one before. All steps of a frame belong together.
   */
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
  /** Nothing can be looked up or stored at the moment: the page comes again (RFC 6455, 7.4; IANA). */
  tryAgain: 1013,
} as const;
