import { z } from 'zod';

/** A button under a question. */
export const Choice = z.object({ label: z.string(), value: z.string() });
export type Choice = z.infer<typeof Choice>;

/** A tool call that has not been made. */
export const PlannedCall = z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) });
export type PlannedCall = z.infer<typeof PlannedCall>;

/** A question to the person. `tool` is null while the question is which tool is meant; `text` then holds the request. */
export const OpenQuestion = z.object({
  tool: z.string().nullable(),
  args: z.record(z.string(), z.unknown()),
  slot: z.string(),
  choices: z.array(Choice).readonly(),
  /** Text of the question, for repeating it. */
  question: z.string(),
  text: z.string(),
  /** Number of repetitions. */
  tries: z.number().int(),
  /** Texts of the person about this request, in order. */
  said: z.array(z.string()).readonly().optional(),
  /** One possible call per choice. None is made unless the person picks its choice. */
  readings: z.array(PlannedCall).readonly().optional(),
});
export type OpenQuestion = z.infer<typeof OpenQuestion>;

/** Kind of an answer, for explanations and tests. */
export const AnswerTag = z.object({
  kind: z.enum(['result', 'greeting', 'help', 'small-talk', 'cancelled', 'cannot', 'not-installed', 'failed']),
  /** The group that is not installed. */
  group: z.string().optional(),
});
export type AnswerTag = z.infer<typeof AnswerTag>;

/**
 * Mark in `additional_kwargs.planner` of every planner message: which human message it handles, and whether it completes it. The planner
 * has no other memory.
 */
export const PlannerMark = z.object({
  for: z.string(),
  done: z.boolean(),
  /** Index of the request in its message; `parts` holds all requests in the person's words. */
  part: z.number().int().optional(),
  parts: z.array(z.string()).readonly().optional(),
  /** Further human messages that answered the question raised by `for`. */
  with: z.array(z.string()).readonly().optional(),
  ask: OpenQuestion.optional(),
  says: AnswerTag.optional(),
  /** Call to make once the requested capability is loaded. */
  then: PlannedCall.optional(),
});
export type PlannerMark = z.infer<typeof PlannerMark>;

/** The planner's next action for one human message. */
export type PlannerStep =
  /** `offer`: changes behind buttons below the answer; no reply is expected. */
  | { readonly kind: 'say'; readonly text: string; readonly says: AnswerTag; readonly offer?: OpenQuestion }
  | { readonly kind: 'ask'; readonly text: string; readonly ask: OpenQuestion }
  | { readonly kind: 'call'; readonly call: PlannedCall }
  | { readonly kind: 'load'; readonly group: string; readonly reason: string; readonly then: PlannedCall }
  | { readonly kind: 'finish'; readonly summary: string };

/** Returns an answer step; `group` names the missing group. */
export function toAnswerStep(
  text: string,
  kind: AnswerTag['kind'],
  group?: string,
): PlannerStep & { readonly kind: 'say' } {
  return { kind: 'say', text, says: group === undefined ? { kind } : { kind, group } };
}

/** Returns a question step. `ask.question` is repeated when the reply is not understood. */
export function toQuestionStep(text: string, ask: OpenQuestion): PlannerStep & { readonly kind: 'ask' } {
  return { kind: 'ask', text, ask };
}
