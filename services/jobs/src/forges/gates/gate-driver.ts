import type { GateFacts } from '@signalbox/contracts/operations/gate';
import type { AppError } from '@signalbox/contracts/errors';
import { cleanName } from '@signalbox/contracts/plain-name';
import { redactText } from '@signalbox/safety/redact/redact';
import type { OpenGate } from '@signalbox/store/governance/gates';

/** The answer to a forge. `comment` stands at the forge beside the deployment. */
export interface GateAnswer {
  readonly state: 'approved' | 'rejected';
  readonly comment: string;
}

/** `isOver`: the forge will not take the answer later either. */
export type GateReply =
  { readonly kind: 'taken' } | { readonly kind: 'refused'; readonly error: AppError; readonly isOver: boolean };

/** One code host whose deployments wait. It asks only the configured address. */
export interface GateDriver {
  /** Name for people. */
  readonly name: string;
  /** Reads what people want to know of a gate. What cannot be read is named in the result. Throws only when aborted. */
  read(gate: OpenGate, signal: AbortSignal): Promise<GateFacts>;
  /** Answers the forge. Repeating an answer is safe. Throws FORGE_AWAY, FORGE_REFUSED. */
  answer(gate: OpenGate, answer: GateAnswer, signal: AbortSignal): Promise<GateReply>;
}

/** Answers by which a forge says that the deployment does not wait any more, or never waits for us. */
export const OVER: ReadonlySet<number> = new Set([400, 404, 409, 410, 422]);

const MAX_TITLE = 60;
const SHORT_COMMIT = 7;
/** Titles that people read; the others are counted. */
export const MAX_TITLES = 5;

/** Writes a commit as one line. Its message is text from outside. */
export function toTitle(commit: string, message: string): string {
  return `${commit.slice(0, SHORT_COMMIT)} ${toLine(message.split('\n', 1)[0] ?? '')}`.trim();
}

/** Writes a name from outside as one short line without secrets. */
export function toLine(text: string): string {
  return redactText(cleanName(text)).slice(0, MAX_TITLE).toWellFormed();
}

/** Reads one part of the facts; null with its name in `unread` when the forge does not give it in time. */
export async function readPart<T>(
  unread: GateFacts['unread'],
  name: GateFacts['unread'][number],
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch {
    // A missing right or a slow forge must not keep people from deciding; the card says what is missing.
    unread.push(name);
    return null;
  }
}
