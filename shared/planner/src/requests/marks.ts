import { z } from 'zod';

/** The tool that offers another agent; its schema lists the agents. */
export const HANDOFF_TOOL = 'handoff';

/** A button under a question. */
export const Choice = z.object({ label: z.string(), value: z.string() });
export type Choice = z.infer<typeof Choice>;

/** A tool call that has not been made yet. */
export const PlannedCall = z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) });
export type PlannedCall = z.infer<typeof PlannedCall>;

/** A question to the person. When it asks which tool is meant, `tool` is null and `text` holds the request. */
export const OpenQuestion = z.object({
  tool: z.string().nullable(),
  args: z.record(z.string(), z.unknown()),
  slot: z.string(),
  choices: z.array(Choice).readonly(),
  /** Text of the question, for asking it again. */
  question: z.string(),
  text: z.string(),
  /** Number of times that the question was repeated. */
  tries: z.number().int(),
  /** Texts of the person about the request, in order. */
  said: z.array(z.string()).readonly().optional(),
  /** One possible call per choice. A call is made only when the person picks its choice. */
  readings: z.array(PlannedCall).readonly().optional(),
});
export type OpenQuestion = z.infer<typeof OpenQuestion>;

/** Kind of an answer, for explanations and tests. */
export const AnswerTag = z.object({
  kind: z.enum(['result', 'greeting', 'help', 'small-talk', 'cancelled', 'cannot', 'not-installed', 'failed']),
  /** The tool group that is not installed. */
  group: z.string().optional(),
});
export type AnswerTag = z.infer<typeof AnswerTag>;

/**
 * Mark in `additional_kwargs.planner` of every message by the planner: which human message it handles, and whether it completes that
 * message. The planner has no other memory.
 */
export const PlannerMark = z.object({
  for: z.string(),
  done: z.boolean(),
  /** Index of the request in its message; `parts` holds the texts of all requests in the message. */
  part: z.number().int().optional(),
  parts: z.array(z.string()).readonly().optional(),
  /** Ids of further human messages, which answered the question about the message `for`. */
  with: z.array(z.string()).readonly().optional(),
  ask: OpenQuestion.optional(),
  says: AnswerTag.optional(),
  /** Call to make after the tool group has been loaded. */
  then: PlannedCall.optional(),
});
export type PlannerMark = z.infer<typeof PlannerMark>;

/** The planner's next action for one human message. */
export type PlannerStep =
  /** `offer`: changes as buttons below the answer; the person need not reply. */
  | { readonly kind: 'say'; readonly text: string; readonly says: AnswerTag; readonly offer?: OpenQuestion }
  | { readonly kind: 'ask'; readonly text: string; readonly ask: OpenQuestion }
  | { readonly kind: 'call'; readonly call: PlannedCall }
  | { readonly kind: 'load'; readonly group: string; readonly reason: string; readonly then: PlannedCall }
  | { readonly kind: 'finish'; readonly summary: string }
  /** Offers another agent, which ends the turn as a question does. */
  | { readonly kind: 'handoff'; readonly agent: string };

/** Returns a step that answers; `group` is the missing tool group. */
export function toAnswerStep(
  text: string,
  kind: AnswerTag['kind'],
  group?: string,
): PlannerStep & { readonly kind: 'say' } {
  return { kind: 'say', text, says: group === undefined ? { kind } : { kind, group } };
}

/** Returns a step that asks. `ask.question` is asked again when the reply is not understood. */
export function toQuestionStep(text: string, ask: OpenQuestion): PlannerStep & { readonly kind: 'ask' } {
  return { kind: 'ask', text, ask };
}
