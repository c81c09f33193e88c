import { z } from 'zod';
import { MAX_INBOUND_LENGTH } from './envelope.ts';
import { PageMode } from './page-mode.ts';

/*
 * Frames of the web socket between page and gateway: `{type, ts, sessionId, payload}`. A page consists of A2UI components, which patches
 * add and remove. The page shows an unknown component as an error box.
 */

/** Maximum size of a frame from a page, in bytes. */
export const MAX_FRAME_BYTES = 64 * 1024;

/** Type and props of a component: see components.ts. */
const Drawn = z.object({ type: z.string().min(1).max(40), props: z.record(z.string(), z.json()) });

/** A page component. Components are sorted by `place`, which never changes. `children` are drawn below the component's own content. */
export const PageComponent = Drawn.extend({
  id: z.string().min(1).max(160),
  place: z.int().nonnegative(),
  /** Version of the content, sent back with an action, so that a press refers to the content that the person saw. */
  version: z.string().max(40).default(''),
  children: z.array(Drawn).default([]),
});
export type PageComponent = z.infer<typeof PageComponent>;

/** `put` adds the component, or replaces the one with the same id. `clear` removes all components before the following steps. */
export const PatchStep = z.discriminatedUnion('op', [
  z.object({ op: z.literal('put'), component: PageComponent }),
  z.object({ op: z.literal('remove'), id: z.string().min(1).max(160) }),
  z.object({ op: z.literal('clear') }),
]);
export type PatchStep = z.infer<typeof PatchStep>;

const frame = <const T extends string, P extends z.ZodType>(type: T, payload: P) =>
  z.object({ type: z.literal(type), ts: z.iso.datetime(), sessionId: z.string().min(1).max(80), payload });

/** Idempotency key that the page gives a message, such as a UUID. */
const ClientId = z.string().regex(/^[\w-]{1,40}$/);

/** A frame from the page. `sessionId` equals the one in the frames that the page received. */
export const ClientFrame = z.discriminatedUnion('type', [
  frame(
    'client.message',
    z.object({
      id: ClientId,
      text: z.string().min(1).max(MAX_INBOUND_LENGTH),
      /** True when the person spoke the text. */
      voice: z.boolean().default(false),
    }),
  ),
  frame(
    'client.action',
    z.object({
      id: ClientId,
      /** Component of the pressed button, the version that the page showed, and the index of the button. */
      componentId: z.string().regex(/^[\w.-]{1,160}$/),
      version: z.string().max(40).default(''),
      index: z.int().min(0).max(63),
    }),
  ),
  frame('client.mode.update', PageMode),
]);
export type ClientFrame = z.infer<typeof ClientFrame>;

const Transcript = z.object({ speaker: z.enum(['agent', 'person']), text: z.string() });

/** An agent as a page shows it. `first`: what it says before anybody wrote. `examples`: requests to begin with. */
export const PageAgent = z.object({
  id: z.string(),
  name: z.string(),
  does: z.string(),
  first: z.string().nullable(),
  examples: z.array(z.string()),
});
export type PageAgent = z.infer<typeof PageAgent>;

/** A frame from the gateway. Pages receive no audit events and no actions of other people. */
export const ServerFrame = z.discriminatedUnion('type', [
  /**
   * `seq` grows with each patch of a session; a page that reconnects asks for the patches after its highest number. Patches of transient
   * content, such as drafts, repeat the previous number. All steps of a frame are applied together.
   */
  frame('server.a2ui.patch', z.object({ seq: z.int().nonnegative(), steps: z.array(PatchStep).min(1) })),
  /** The agent that answers in this conversation, in the words of the page's language: sent at the start and after each switch. */
  frame('server.agent.current', PageAgent),
  frame('server.agent.thinking', z.object({ active: z.boolean() })),
  /** In voice mode: the text to read aloud, and its language. */
  frame('server.voice.say', z.object({ text: z.string(), language: z.string().nullable() })),
  /** Tells the page that it may start listening. */
  frame('server.voice.start', z.object({})),
  /** Tells the page to stop speaking and listening. */
  frame('server.voice.stop', z.object({})),
  /** Synthesized speech in base64. */
  frame('server.voice.audio', z.object({ mimeType: z.string(), data: z.base64() })),
  /** Interim transcript; each one replaces the previous one. */
  frame('server.transcript.partial', Transcript),
  frame('server.transcript.final', Transcript),
]);
export type ServerFrame = z.infer<typeof ServerFrame>;

/** Close codes that the gateway uses. */
export const CLOSE_CODES = {
  unknownAgent: 4000,
  notSignedIn: 4001,
  badFrame: 4002,
  tooSlow: 4003,
  tooFast: 4004,
  /** The database is unavailable, and the page reconnects later (RFC 6455, 7.4; IANA). */
  tryAgain: 1013,
} as const;
