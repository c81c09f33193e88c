import { z } from 'zod';
import { ProposedAction } from './action.ts';
import { PolicyDecision } from './decision.ts';
import { OfferedButton, OutboundFile } from '../conversation/envelope.ts';
import { PageMode } from '../conversation/page-mode.ts';
import { Role } from './roles.ts';

/*
 * One record per pass of a turn: the hash of the model's input, its answer, the decision about each call and the results. A
 * conversation's records suffice to replay it without a model or tools. Redacted before hashing.
 */

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Json = z.json();

/** Hashes of a model's input in three parts, so that a difference can be located; `hash` covers all parts. */
export const ModelInputHashes = z.object({ hash: Sha256, system: Sha256, messages: Sha256, tools: Sha256 });
export type ModelInputHashes = z.infer<typeof ModelInputHashes>;

/** A model's answer as the conversation stores it. */
export const RecordedAnswer = z.object({
  /** Our own id of the pass's answer, from which call ids derive. */
  id: z.string().nullable(),
  /** The model server's id of the answer. Missing in older records, which store it as `id`. */
  modelId: z.string().nullable().optional(),
  text: z.string(),
  calls: z.array(z.object({ id: z.string(), name: z.string(), args: z.record(z.string(), Json) })),
  /** Calls whose arguments were not valid JSON, verbatim. */
  unreadable: z.array(z.object({ name: z.string().nullable(), args: z.string().nullable() })),
  /** The model's reasoning, where the provider returns it. */
  reasoning: z.string().optional(),
  /** Provider-specific fields that the model expects back. */
  extras: z.record(z.string(), Json),
});
export type RecordedAnswer = z.infer<typeof RecordedAnswer>;

/** The prompt section about the person, their work and memory: see docs/context.md. */
export const PromptContext = z.object({
  /** The text as in the prompt. */
  text: z.string(),
  /** Sections in order. `shown`: the lines that fitted; `left`: the number of omitted lines. */
  sections: z.array(z.object({ name: z.string(), shown: z.int().nonnegative(), left: z.int().nonnegative() })),
});
export type PromptContext = z.infer<typeof PromptContext>;

/** Facts of a prompt that are not in the graph state. */
export const PromptFacts = z.object({
  /** Known names by kind; null when equal to the previous request's. */
  names: z.record(z.string(), z.array(z.string())).nullable(),
  groups: z.array(z.string()),
  /** Null when equal to the previous request's; missing when the prompt had no such section. */
  context: PromptContext.nullable().optional(),
  /** Results of calls that a crash or stop had left open, by call id. */
  calls: z.record(z.string(), z.object({ ok: z.boolean(), say: z.string() })).optional(),
});
export type PromptFacts = z.infer<typeof PromptFacts>;

/** One model request. `answer` is null when it produced the pass's own answer. */
export const RecordedRequest = z.object({
  node: z.string(),
  model: z.string(),
  context: ModelInputHashes,
  facts: PromptFacts,
  answer: RecordedAnswer.nullable(),
  durationMs: z.number().nonnegative(),
});
export type RecordedRequest = z.infer<typeof RecordedRequest>;

/** The policy question about a call and its decision. */
export const RecordedDecision = z.object({
  action: ProposedAction,
  question: z.record(z.string(), Json),
  decision: PolicyDecision,
  /**
   * `source`: the argument that came from outside text. `foreign`: the part of the call that is not in the person's own words.
   * `hasPrivate`: the conversation had read private data. Null for an action that is decided again.
   */
  taint: z
    .object({
      source: z.string().nullable(),
      /** Missing in older records. */
      foreign: z.string().nullable().optional(),
      hasPrivate: z.boolean(),
      /** Age of the turn's messages at arrival, when above ten minutes. */
      ageMs: z.number().nonnegative().optional(),
      /** Hash of the button offer that was pressed for exactly this action. */
      pressed: z.string().optional(),
    })
    .nullable(),
});
export type RecordedDecision = z.infer<typeof RecordedDecision>;

/** The result of a call as the agent received it. */
export const RecordedResult = z.object({
  ok: z.boolean(),
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
  /** Null for calls without effect and calls refused before policy. */
  decided: RecordedDecision.nullable(),
  result: RecordedResult,
  /** SHA-256 of the result as shown to the model. */
  seen: Sha256,
  durationMs: z.number().nonnegative(),
});
export type RecordedCall = z.infer<typeof RecordedCall>;

/** Inputs of one run of a turn; a turn resumed after a crash has several runs. */
export const RecordedTurnRun = z.object({
  turnId: z.string(),
  /** Number of the turn's messages that had arrived. */
  came: z.int().nonnegative(),
  actor: z.object({ userKey: z.string(), name: z.string(), role: Role }),
  /** Language of the person; English when missing. */
  language: z.string().optional(),
});
export type RecordedTurnRun = z.infer<typeof RecordedTurnRun>;

/** A message as it entered the conversation. */
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
  /** Page mode of the author. Missing when unknown or irrelevant to the agent. */
  reads: PageMode.optional(),
});
export type RecordedMessage = z.infer<typeof RecordedMessage>;

/** The outcome of an approval before the agent learned of it. */
export const RecordedApproval = z.object({
  approvalId: z.string(),
  actionId: z.string(),
  outcome: z.string(),
  say: z.string(),
  /** The policy decision when the approval was used; null when none was needed or an earlier run had made it. */
  decided: RecordedDecision.nullable(),
  code: z.string().nullable(),
  phases: z.array(z.string()),
});
export type RecordedApproval = z.infer<typeof RecordedApproval>;

/** One pass. A turn that ended before its first pass has one record with number 0. */
export const PassRecord = z.object({
  pass: z.int().nonnegative(),
  phases: z.array(z.string()),
  versions: z.object({ prompt: Sha256, tools: Sha256, state: z.int(), model: z.string().nullable() }),
  /** The runs that read the messages, asked the model and executed the calls; null for parts not done. */
  runs: z.object({
    read: RecordedTurnRun.nullable(),
    asked: RecordedTurnRun.nullable(),
    acted: RecordedTurnRun.nullable(),
  }),
  asks: z.array(RecordedRequest),
  answer: RecordedAnswer.nullable(),
  calls: z.array(RecordedCall),
  /** The judge's verdict; null without one. */
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
  /** First record only: the input of the turn. */
  began: z
    .object({
      isNew: z.boolean(),
      threadOver: z.boolean(),
      messages: z.array(RecordedMessage),
      decision: RecordedApproval.nullable(),
    })
    .nullable(),
  /**
   * Last record only: how the turn ended. `note`: the text added to the conversation after an incident, a stop or a failure. `about`: the
   * project that becomes its topic.
   */
  ended: z
    .object({
      outcome: z.string(),
      note: z.string().nullable(),
      about: z.string().nullable().optional(),
      run: RecordedTurnRun,
    })
    .nullable(),
  /** True when a secret was removed. */
  redacted: z.boolean(),
  /** True when hashes were made after redaction, so that they can be recomputed. Missing in older records. */
  cleanHashes: z.literal(true).optional(),
});
export type ExecutionTurn = z.infer<typeof ExecutionTurn>;

/** A record with its hash: SHA-256 of its canonical JSON. */
export interface StoredExecutionTurn {
  readonly record: ExecutionTurn;
  readonly recordHash: string;
}
