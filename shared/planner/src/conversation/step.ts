import type { Choice, OpenAsk, PlannedCall, Says } from './marks.ts';

/** What the planner wants to do next for one human message. */
export type Step =
  /** `offer`: changes that buttons below the answer make; nobody waits for one of them. */
  | { readonly kind: 'say'; readonly text: string; readonly says: Says; readonly offer?: OpenAsk }
  | { readonly kind: 'ask'; readonly text: string; readonly ask: OpenAsk }
  | { readonly kind: 'call'; readonly call: PlannedCall }
  | {
      readonly kind: 'load';
      readonly group: string;
      readonly reason: string;
      readonly then: PlannedCall;
    }
  | { readonly kind: 'finish'; readonly summary: string };

/** An answer, and of what kind it is; `group` names the one that is not installed. */
export function sayStep(text: string, kind: Says['kind'], group?: string): Step & { readonly kind: 'say' } {
  return { kind: 'say', text, says: group === undefined ? { kind } : { kind, group } };
}

/** A question, with the text that is shown; `ask.question` is what is asked again when the answer is not understood. */
export function askStep(text: string, ask: Omit<OpenAsk, 'choices'> & { readonly choices: readonly Choice[] }): Step {
  return { kind: 'ask', text, ask: { ...ask, choices: [...ask.choices] } };
}
