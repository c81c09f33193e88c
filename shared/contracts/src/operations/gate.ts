import { z } from 'zod';
import { isGitRef } from '../repository/ref.ts';

/** One visible word of at most `max` characters, as pipelines name runs and people. */
const word = (max: number) => z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${max}}$`));

/** What a pipeline asks to pass: one run of one commit towards one environment. Other systems chose every value. */
export const GateRequest = z.strictObject({
  /** Path of the repository, such as `acme/shop`. */
  repository: z.string().regex(/^[A-Za-z0-9_][\w.-]{0,99}(?:\/[\w.-]{1,100}){0,5}$/),
  environment: z.string().regex(/^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_ ./:()-]{0,78}[\p{L}\p{M}\p{N}_)])?$/u),
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
export const GateState = z.enum(['waiting', 'approved', 'refused', 'expired']);
export type GateState = z.infer<typeof GateState>;

/** Returns the id of the action that asks for a gate: an event asks once, however often it is sent. */
export function makeGateActionId(eventId: string): string {
  return `${eventId.replace(/^evt_/, 'act_')}_gate`;
}

/** A code host that asks by a webhook and takes the answer at its API, or whose tokens prove who asks. */
export const GateForge = z.enum(['github', 'gitlab']);
export type GateForge = z.infer<typeof GateForge>;

/** What people call the forges. */
export const FORGE_NAMES = { github: 'GitHub', gitlab: 'GitLab' } as const satisfies Record<GateForge, string>;

/** What the answer to a forge has to name: a run and environment of GitHub, or a deployment of GitLab. */
export const GateTarget = z.object({
  /** The environment exactly as the forge names it. */
  environment: z.string().max(255),
  commit: z.string(),
  /** Id of the project at GitLab; missing at GitHub, where the repository's name stands in each address. */
  project: z.int().positive().optional(),
  /** Id of the run at GitHub, of the job at GitLab. */
  run: z.int().positive(),
  /** Id of the deployment that waits. */
  deployment: z.int().positive(),
});
export type GateTarget = z.infer<typeof GateTarget>;

/** What can be read at a forge besides the request. */
export const GATE_READINGS = ['run', 'commits', 'checks'] as const;

/** What was read at the forge within the time limit. Texts in it are from outside. */
export const GateFacts = z.object({
  /** Number of the attempt; null when it could not be read. */
  attempt: z.int().positive().nullable(),
  /** Who started this attempt, besides those whom the request names; missing accounts are programs. */
  accounts: z.array(z.string()),
  actor: z.string().nullable(),
  /** Commits since the last deployment of this environment, newest first, at most five; null when unknown. */
  commits: z.object({ count: z.int().nonnegative(), titles: z.array(z.string()) }).nullable(),
  checks: z.object({ state: z.enum(['none', 'pending', 'passed', 'failed']), failed: z.array(z.string()) }).nullable(),
  /** What could not be read. */
  unread: z.array(z.enum(GATE_READINGS)),
});
export type GateFacts = z.infer<typeof GateFacts>;

/** The facts of a forge that was not read in time. */
export const UNREAD_FACTS: GateFacts = {
  attempt: null,
  accounts: [],
  actor: null,
  commits: null,
  checks: null,
  unread: [...GATE_READINGS],
};

/** Returns the key of an account at a forge, by its number there: names change hands, numbers do not. */
export function toForgeAccount(forge: GateForge, id: number): string {
  return `${forge}-${id}`;
}
