import type { GateRequest, GateTarget } from '@signalbox/contracts/operations/gate';
import { HOUR_MS } from '@signalbox/contracts/time';

/** A deployment of a forge that waits for people, as its signed webhook describes it. All texts are from outside. */
export interface ForgeGate {
  /** The request, not yet checked: other systems chose every value. */
  readonly gate: Readonly<Record<keyof GateRequest, string>>;
  /** What makes it the same request when the webhook comes again; a run that is started again has another deployment. */
  readonly once: string;
  /** Accounts of people in whose name it asks, such as `github-583231`. */
  readonly accounts: readonly string[];
  readonly target: GateTarget;
}

/** `wrong`: it asks for a gate, and does not fit; the text says why. Null: no request for a gate. */
export type DecodedGate = ForgeGate | { readonly wrong: string } | null;

/** Reads a webhook of one forge. Pure. Never throws. */
export type DecodeGate = (body: unknown, settings: { readonly githubApi: string }) => DecodedGate;

/** How long a forge waits for an answer: GitHub fails a deployment after 30 days, and a pipeline of GitLab that waits is of no use then. */
export const WAITS_MS = 30 * 24 * HOUR_MS;
