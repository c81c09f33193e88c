import { z } from 'zod';

/** A button under a question. */
export const Choice = z.object({ label: z.string(), value: z.string() });
export type Choice = z.infer<typeof Choice>;

/** A tool call that is known but not made yet. */
export const PlannedCall = z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) });
export type PlannedCall = z.infer<typeof PlannedCall>;

/** A question that we asked. `tool` is null while the question is which tool is meant; `text` is then what was said. */
export const OpenAsk = z.object({
  tool: z.string().nullable(),
  args: z.record(z.string(), z.unknown()),
  slot: z.string(),
  choices: z.array(Choice).readonly(),
  /** The question as it was put, for putting it again. */
  question: z.string(),
  text: z.string(),
  /** How often it has been put again. */
  tries: z.number().int(),
  /** What the person has said so far of what is asked about, in order. */
  said: z.array(z.string()).readonly().optional(),
  /** What may be meant, one per choice, when the question is whether it is; nothing of it is done unless a choice is taken. */
  readings: z.array(PlannedCall).readonly().optional(),
});
export type OpenAsk = z.infer<typeof OpenAsk>;

/** What kind of answer a text is, for whoever explains or judges it. */
export const Says = z.object({
  kind: z.enum(['result', 'greeting', 'help', 'small-talk', 'cancelled', 'cannot', 'not-installed', 'failed']),
  /** The group that is not installed. */
  group: z.string().optional(),
});
export type Says = z.infer<typeof Says>;

/**
 * `additional_kwargs.planner` of every message that the planner wrote: which human message it deals with, and whether that
 * one is dealt with now. It is the planner's only memory.
 */
export const PlannerMark = z.object({
  for: z.string(),
  done: z.boolean(),
  /** Which request of the message, from 0, when it holds several; `parts` are then all of them, in the person's words. */
  part: z.number().int().optional(),
  parts: z.array(z.string()).readonly().optional(),
  /** Other human messages that were used up as answers to the question that `for` raised. */
  with: z.array(z.string()).readonly().optional(),
  ask: OpenAsk.optional(),
  says: Says.optional(),
  /** What to do once the capability that this message requests is there. */
  then: PlannedCall.optional(),
});
export type PlannerMark = z.infer<typeof PlannerMark>;

/** What the planner wants to do next for one human message. */
export type Step =
  /** `offer`: changes that buttons below the answer make; nobody waits for one of them. */
  | { readonly kind: 'say'; readonly text: string; readonly says: Says; readonly offer?: OpenAsk }
  | { readonly kind: 'ask'; readonly text: string; readonly ask: OpenAsk }
  | { readonly kind: 'call'; readonly call: PlannedCall }
  | { readonly kind: 'load'; readonly group: string; readonly reason: string; readonly then: PlannedCall }
  | { readonly kind: 'finish'; readonly summary: string };

/** An answer, and of what kind it is; `group` names the one that is not installed. */
export function sayStep(text: string, kind: Says['kind'], group?: string): Step & { readonly kind: 'say' } {
  return { kind: 'say', text, says: group === undefined ? { kind } : { kind, group } };
}

/** A question, with the text that is shown; `ask.question` is what is asked again when the answer is not understood. */
export function askStep(text: string, ask: OpenAsk): Step & { readonly kind: 'ask' } {
  return { kind: 'ask', text, ask };
}
