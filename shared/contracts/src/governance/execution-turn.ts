import { z } from 'zod';
import { ProposedAction } from './action.ts';
import { PolicyDecision } from './decision.ts';
import { OfferedButton, OutboundFile } from '../conversation/envelope.ts';
import { PageMode } from '../conversation/page-mode.ts';
import { Role } from './roles.ts';
import { RuntimeEvent } from './runtime-event.ts';

/*
 * One record per pass of a turn, that is, per model answer: the hash of the model's input, its answer, the decision about each call and
 * the results. The records of a conversation suffice to replay it without a model or tools. Records are redacted before hashing.
 */

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Json = z.json();

/** Hashes of three parts of the model's input, to locate a difference; `hash` covers all parts. */
export const ModelInputHashes = z.object({ hash: Sha256, system: Sha256, messages: Sha256, tools: Sha256 });
export type ModelInputHashes = z.infer<typeof ModelInputHashes>;

/** A model's answer in the form in which the conversation stores it. */
export const RecordedAnswer = z.object({
  /** Signalbox's own id of the answer, from which call ids derive. */
  id: z.string().nullable(),
  /** The model server's id of the answer. Missing in older records, which store this id as `id`. */
  modelId: z.string().nullable().optional(),
  text: z.string(),
  calls: z.array(z.object({ id: z.string(), name: z.string(), args: z.record(z.string(), Json) })),
  /** Calls with arguments that were not valid JSON, verbatim. */
  unreadable: z.array(z.object({ name: z.string().nullable(), args: z.string().nullable() })),
  /** The model's reasoning, where the provider returns it. */
  reasoning: z.string().optional(),
  /** Provider-specific fields that the model expects back. */
  extras: z.record(z.string(), Json),
});
export type RecordedAnswer = z.infer<typeof RecordedAnswer>;

/** The section of the prompt about the person, their work and their memory: see docs/context.md. */
export const PromptContext = z.object({
  /** Text of the section, as in the prompt. */
  text: z.string(),
  /** Parts of the section in order. `shown`: number of lines that fitted; `left`: number of omitted lines. */
  sections: z.array(z.object({ name: z.string(), shown: z.int().nonnegative(), left: z.int().nonnegative() })),
  /** Values in these facts that the runtime made (see field-key.ts); missing in older records. */
  made: z.array(z.string()).optional(),
});
export type PromptContext = z.infer<typeof PromptContext>;

/** Facts in a prompt that are not in the graph state. */
export const PromptFacts = z.object({
  /** Known names by kind; null when equal to the names in the previous request. */
  names: z.record(z.string(), z.array(z.string())).nullable(),
  groups: z.array(z.string()),
  /** Groups that the person may load; missing in older records. */
  offered: z.array(z.string()).optional(),
  /** The section about the person; null when equal to the previous request's, missing when the prompt had none. */
  context: PromptContext.nullable().optional(),
  /** Results of calls that a crash or a stop had left open, by call id. */
  calls: z
    .record(z.string(), z.object({ ok: z.boolean(), say: z.string(), untrusted: z.boolean().optional() }))
    .optional(),
});
export type PromptFacts = z.infer<typeof PromptFacts>;

/** One request to a model. `answer` is null when the request produced the answer of the pass itself. */
export const RecordedRequest = z.object({
  node: z.string(),
  model: z.string(),
  context: ModelInputHashes,
  facts: PromptFacts,
  answer: RecordedAnswer.nullable(),
  durationMs: z.number().nonnegative(),
});
export type RecordedRequest = z.infer<typeof RecordedRequest>;

/** The clean reader's answer: whether the person's own messages ask for an act. It sees no text from outside. */
export const RecordedReading = z.object({
  asked: z.boolean(),
  /** The model; `offline` for the built-in planner, which only reads the person's words. */
  model: z.string(),
  /** SHA-256 of the question; null when no model was asked. */
  prompt: Sha256.nullable(),
  /** Why there is no answer: it failed, or took too long. */
  failure: z.string().optional(),
});
export type RecordedReading = z.infer<typeof RecordedReading>;

const OneDecision = z.object({
  action: ProposedAction,
  question: z.record(z.string(), Json),
  decision: PolicyDecision,
  /** The call's origin; `hasPrivate`: the conversation had read private data. Null when an action is decided again. */
  taint: z
    .object({
      /** Only in records from before provenance by value, which are not decided again. */
      source: z.string().nullable().optional(),
      /** A value that may come from outside text. */
      foreign: z.string().nullable().optional(),
      reading: RecordedReading.optional(),
      hasPrivate: z.boolean(),
      /** Age of the turn's messages at arrival, when above ten minutes. */
      ageMs: z.number().nonnegative().optional(),
      /** Hash of the pressed button's offer, which was for exactly this action. */
      pressed: z.string().optional(),
    })
    .nullable(),
});

/** The policy question about a call, and the decision. `steps`: those about the steps of a plan. */
export const RecordedDecision = OneDecision.extend({ steps: z.array(OneDecision).optional() });
export type RecordedDecision = z.infer<typeof RecordedDecision>;

/** The result of a call, as the agent received it. */
export const RecordedResult = z.object({
  ok: z.boolean(),
  result: Json.optional(),
  say: z.string(),
  code: z.string().nullable(),
  changed: z.boolean(),
  untrusted: z.boolean().optional(),
  made: z.array(z.string()).optional(),
  next: z.array(OfferedButton).optional(),
  files: z.array(OutboundFile).optional(),
  goesOn: z.literal(true).optional(),
  /** What was left out of a long result; `result` holds the rest. */
  more: z.array(z.object({ field: z.string(), rows: z.string(), handle: z.string() })).optional(),
});
export type RecordedResult = z.infer<typeof RecordedResult>;

export const RecordedCall = z.object({
  callId: z.string(),
  /** The decision of policy; null for calls without an effect and calls refused before policy. */
  decided: RecordedDecision.nullable(),
  result: RecordedResult,
  /** SHA-256 of the result as the model saw it. */
  seen: Sha256,
  durationMs: z.number().nonnegative(),
});
export type RecordedCall = z.infer<typeof RecordedCall>;

/** Inputs of one run of a turn; a turn that resumes after a crash has several runs. */
export const RecordedTurnRun = z.object({
  turnId: z.string(),
  /** Number of messages of the turn that had arrived. */
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
      RuntimeEvent,
      z.object({ kind: z.literal('node'), say: z.string(), node: z.string(), about: z.string().optional() }),
      z.object({ kind: z.literal('mode'), ...PageMode.shape }),
    ])
    .nullable(),
  /** Page mode of the author. Missing when unknown or when the agent does not use it. */
  reads: PageMode.optional(),
  /** Set for text that others may have written: the news of an event, a forward, or the name of a file. */
  outside: z.enum(['event', 'forward', 'file']).optional(),
});
export type RecordedMessage = z.infer<typeof RecordedMessage>;

/** The outcome of an approval, recorded before the agent learned the outcome. */
export const RecordedApproval = z.object({
  approvalId: z.string(),
  actionId: z.string(),
  outcome: z.string(),
  say: z.string(),
  /** The policy decision when the approval was used; null when none was needed, or when an earlier run had recorded it. */
  decided: RecordedDecision.nullable(),
  code: z.string().nullable(),
  phases: z.array(z.string()),
});
export type RecordedApproval = z.infer<typeof RecordedApproval>;

/** The record of one pass. A turn that ended before its first pass has one record, with number 0. */
export const PassRecord = z.object({
  pass: z.int().nonnegative(),
  phases: z.array(z.string()),
  versions: z.object({ prompt: Sha256, tools: Sha256, state: z.int(), model: z.string().nullable() }),
  /** The runs that read the messages, asked the model and executed the calls; null for a part that was not done. */
  runs: z.object({
    read: RecordedTurnRun.nullable(),
    asked: RecordedTurnRun.nullable(),
    acted: RecordedTurnRun.nullable(),
  }),
  asks: z.array(RecordedRequest),
  answer: RecordedAnswer.nullable(),
  calls: z.array(RecordedCall),
  /** Verdict of the judge model; null without a verdict. */
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
  /** The input of the turn, in its first record only. */
  began: z
    .object({
      isNew: z.boolean(),
      threadOver: z.boolean(),
      messages: z.array(RecordedMessage),
      decision: RecordedApproval.nullable(),
    })
    .nullable(),
  /**
   * How the turn ended, in its last record only. `note`: text added to the conversation after an incident, a stop or a failure. `about`:
   * project that becomes the topic of the conversation.
   */
  ended: z
    .object({
      outcome: z.string(),
      note: z.string().nullable(),
      about: z.string().nullable().optional(),
      /** Set when the note tells of an incident; it is an event then, and no answer. */
      event: z.literal('incident').optional(),
      run: RecordedTurnRun,
    })
    .nullable(),
  /** True when redaction removed a secret from the record. */
  redacted: z.boolean(),
  /** True when hashes were computed after redaction, so that they can be checked. Missing in older records. */
  cleanHashes: z.literal(true).optional(),
});
export type ExecutionTurn = z.infer<typeof ExecutionTurn>;

/** A record with its hash, the SHA-256 of the record's canonical JSON. */
export interface StoredExecutionTurn {
  readonly record: ExecutionTurn;
  readonly recordHash: string;
}
