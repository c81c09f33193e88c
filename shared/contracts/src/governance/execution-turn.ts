import { z } from 'zod';
import { ProposedAction } from './action.ts';
import { PolicyDecision } from './decision.ts';
import { OfferedButton, OutboundFile } from '../conversation/envelope.ts';
import { PageMode } from '../conversation/page-mode.ts';
import { Role } from './roles.ts';

/*
 * One record per pass of a turn: what the model was given (as a hash), what it answered, what was decided about each of its calls,
 * and what the calls came to. Together the records of a conversation say enough to go through it again without a model and
 * without a tool. Redacted before they are hashed.
 */

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Json = z.json();

/** What a model was given, in three hashes, so that a difference can be named; `hash` covers them all. */
export const ModelContext = z.object({ hash: Sha256, system: Sha256, messages: Sha256, tools: Sha256 });
export type ModelContext = z.infer<typeof ModelContext>;

/** An answer of a model as the conversation keeps it. */
export const RecordedAnswer = z.object({
  /** Ids of calls are made from it: of the pass's own answer it is ours. */
  id: z.string().nullable(),
  /** What the model's server had called the pass's own answer. Missing in older records, where `id` was made of it. */
  modelId: z.string().nullable().optional(),
  text: z.string(),
  calls: z.array(z.object({ id: z.string(), name: z.string(), args: z.record(z.string(), Json) })),
  /** Arguments that were no JSON, as they came. */
  unreadable: z.array(z.object({ name: z.string().nullable(), args: z.string().nullable() })),
  /** Why, in the model's own words, where its provider gives them. */
  reasoning: z.string().optional(),
  /** What the model wants back. */
  extras: z.record(z.string(), Json),
});
export type RecordedAnswer = z.infer<typeof RecordedAnswer>;

/** What a prompt was told of the person, their work and their memory: see docs/context.md. */
export const PromptContext = z.object({
  /** As it stood in the prompt. */
  text: z.string(),
  /** In their order. `shown` lines found room; `left` is how many more there were. */
  sections: z.array(z.object({ name: z.string(), shown: z.int().nonnegative(), left: z.int().nonnegative() })),
});
export type PromptContext = z.infer<typeof PromptContext>;

/** The facts of a prompt that do not stand in the state. */
export const PromptFacts = z.object({
  /** Known names by kind of thing; null: as for the question before. */
  names: z.record(z.string(), z.array(z.string())).nullable(),
  groups: z.array(z.string()),
  /** Null: as for the question before. Left out where the prompt had none. */
  context: PromptContext.nullable().optional(),
  /** What calls that a crash or a stop left open came to, by call. Left out when there are none. */
  calls: z.record(z.string(), z.object({ ok: z.boolean(), say: z.string() })).optional(),
});
export type PromptFacts = z.infer<typeof PromptFacts>;

/** One question to a model. `answer` is null when the pass's own answer came of it. */
export const RecordedAsk = z.object({
  node: z.string(),
  model: z.string(),
  context: ModelContext,
  facts: PromptFacts,
  answer: RecordedAnswer.nullable(),
  durationMs: z.number().nonnegative(),
});
export type RecordedAsk = z.infer<typeof RecordedAsk>;

/** What policy was asked about a call, frozen, and what it said. */
export const RecordedDecision = z.object({
  action: ProposedAction,
  /** A PolicyQuestion. */
  question: z.record(z.string(), Json),
  decision: PolicyDecision,
  /**
   * The argument that came from text of outside, or null; the part of the call that is not in the person's own words, or null, where
   * such text was read; and whether the conversation had read what is private. Null for an action that was assessed before and is
   * decided once more.
   */
  taint: z
    .object({
      source: z.string().nullable(),
      /** Missing in older records. */
      foreign: z.string().nullable().optional(),
      hasPrivate: z.boolean(),
      /** How old the words of the turn were when they came in, where that was more than ten minutes. */
      ageMs: z.number().nonnegative().optional(),
      /** The offer that was pressed for exactly this action, by its hash. */
      pressed: z.string().optional(),
    })
    .nullable(),
});
export type RecordedDecision = z.infer<typeof RecordedDecision>;

/** What a call came to, as the agent took it. */
export const RecordedResult = z.object({
  ok: z.boolean(),
  /** Missing where a tool gave nothing back. */
  result: Json.optional(),
  say: z.string(),
  code: z.string().nullable(),
  changed: z.boolean(),
  untrusted: z.boolean().optional(),
  next: z.array(OfferedButton).optional(),
  files: z.array(OutboundFile).optional(),
});
export type RecordedResult = z.infer<typeof RecordedResult>;

export const RecordedCall = z.object({
  callId: z.string(),
  /** Null for what has no effect to govern, and for what was refused before policy was asked. */
  decided: RecordedDecision.nullable(),
  result: RecordedResult,
  /** SHA-256 of what the model saw of the result. */
  seen: Sha256,
  durationMs: z.number().nonnegative(),
});
export type RecordedCall = z.infer<typeof RecordedCall>;

/** What one run of a turn knew; a turn that was resumed after a crash has several. */
export const RecordedRun = z.object({
  turnId: z.string(),
  /** So many of the turn's messages had come. */
  came: z.int().nonnegative(),
  actor: z.object({ userKey: z.string(), name: z.string(), role: Role }),
  /** What the person read; English when left out. */
  language: z.string().optional(),
});
export type RecordedRun = z.infer<typeof RecordedRun>;

/** A message as it came into the conversation. */
export const RecordedMessage = z.object({
  id: z.string(),
  text: z.string(),
  event: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.enum(['job-finished', 'decision']), say: z.string() }),
      z.object({ kind: z.literal('node'), say: z.string(), node: z.string(), about: z.string().optional() }),
      z.object({ kind: z.literal('mode'), ...PageMode.shape }),
    ])
    .nullable(),
  /** How its author reads. Left out where nobody knows, or no agent minds. */
  reads: PageMode.optional(),
});
export type RecordedMessage = z.infer<typeof RecordedMessage>;

/** What came of a decision of people before the agent heard of it. */
export const RecordedResume = z.object({
  approvalId: z.string(),
  actionId: z.string(),
  outcome: z.string(),
  say: z.string(),
  /** What policy said when the approval was used up; null when nothing was to be decided, or an earlier run had done it. */
  decided: RecordedDecision.nullable(),
  code: z.string().nullable(),
  phases: z.array(z.string()),
});
export type RecordedResume = z.infer<typeof RecordedResume>;

/** One pass. A turn that ended before its first pass has one record, with number 0. */
export const PassRecord = z.object({
  pass: z.int().nonnegative(),
  phases: z.array(z.string()),
  versions: z.object({ prompt: Sha256, tools: Sha256, state: z.int(), model: z.string().nullable() }),
  /** The runs that read the wish, asked the model and carried out the calls; null for what was not done. */
  runs: z.object({ read: RecordedRun.nullable(), asked: RecordedRun.nullable(), acted: RecordedRun.nullable() }),
  asks: z.array(RecordedAsk),
  answer: RecordedAnswer.nullable(),
  calls: z.array(RecordedCall),
  /** The judge's verdict; null when there was nothing to judge. */
  outcome: z.string().nullable(),
});
export type PassRecord = z.infer<typeof PassRecord>;

export const ExecutionTurn = PassRecord.extend({
  turnId: z.string(),
  threadId: z.string(),
  userKey: z.string(),
  chatKey: z.string(),
  agent: z.string(),
  agentClass: z.string(),
  policy: z.object({ version: z.string(), timeZone: z.string() }),
  maxPasses: z.int().positive(),
  /** Of the first record: what came in. */
  began: z
    .object({
      isNew: z.boolean(),
      threadOver: z.boolean(),
      messages: z.array(RecordedMessage),
      decision: RecordedResume.nullable(),
    })
    .nullable(),
  /**
   * Of the last record: how the turn ended; `note` is what the conversation was told when it was cut short, or of an incident, and
   * `about` the project that it is about from then on.
   */
  ended: z
    .object({
      outcome: z.string(),
      note: z.string().nullable(),
      about: z.string().nullable().optional(),
      run: RecordedRun,
    })
    .nullable(),
  /** Something was taken out: a secret. */
  redacted: z.boolean(),
  /** Its hashes are of texts without secrets, so that they can be made again from what is left. Missing in older records. */
  cleanHashes: z.literal(true).optional(),
});
export type ExecutionTurn = z.infer<typeof ExecutionTurn>;

/** A record with its hash: SHA-256 of its canonical JSON. */
export interface StoredExecutionTurn {
  readonly record: ExecutionTurn;
  readonly recordHash: string;
}
