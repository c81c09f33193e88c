import { z } from 'zod';
import { isGitRef } from '../repository/ref.ts';

/** One visible word of at most `max` characters, as pipelines name runs and people. */
const word = (max: number) => z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${max}}$`));

/** What a pipeline asks to pass: one run of one commit towards one environment. Other systems chose every value. */
export const GateRequest = z.strictObject({
  /** Path of the repository, such as `acme/shop`. */
  repository: z.string().regex(/^[A-Za-z0-9_][\w.-]{0,99}(?:\/[\w.-]{1,100}){0,5}$/),
  environment: z.string().regex(/^[A-Za-z0-9](?:[\w ./-]{0,78}[\w])?$/),
  /** Branch or tag. */
  ref: z.string().max(200).refine(isGitRef),
  commit: z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/),
  /** Identifies the run and its attempt: `17034512:2`. Two runs of one commit are two requests. */
  run: word(80),
  /** Who started the run, by the name that the pipeline's system knows. */
  actor: word(80),
});
export type GateRequest = z.infer<typeof GateRequest>;

/** The state of a gate, for programs. `waiting`: nobody has decided yet. Only `approved` lets a run pass. */
export type GateState = 'waiting' | 'approved' | 'refused' | 'expired';

/** Returns the id of the action that asks for a gate: an event asks once, however often it is sent. */
export function makeGateActionId(eventId: string): string {
  return `${eventId.replace(/^evt_/, 'act_')}_gate`;
}
