import type { ApprovalAct } from '@signalbox/contracts/governance/approval';
import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import type { MessageEnvelope, RuntimeButton } from '@signalbox/contracts/conversation/envelope';
import type { WakeUp } from '@signalbox/contracts/conversation/topics';
import type { OpenPrompt } from '../admission/approval-prompts.ts';
import type { Role } from '@signalbox/contracts/governance/roles';
import { sayError } from '@signalbox/messages/say';
import type { CodeOutcome } from './invitations.ts';
import type { Queryable } from '@signalbox/store/pool';
import type { SecretSealer } from '@signalbox/safety/secrets/cipher';
import type { Channel } from '../channels/channel.ts';

/** What is answered at admission, without waiting for a turn. */
export type Question =
  | { readonly kind: 'command'; readonly name: string; readonly rest: string }
  | { readonly kind: 'unknown-command'; readonly typed: string }
  | { readonly kind: 'code'; readonly outcome: CodeOutcome }
  | { readonly kind: 'exposed-code' }
  /** A voice note, which is to be turned into text. */
  | { readonly kind: 'voice' }
  /** A button of an approval card. */
  | { readonly kind: 'approval'; readonly act: ApprovalAct }
  /** The Stop button of a followed log, or the word (no run named). */
  | { readonly kind: 'end-log'; readonly runId: string | null }
  /** The answer to something that a person was asked to write about an approval. */
  | { readonly kind: 'prompt'; readonly prompt: OpenPrompt; readonly text: string };

/** Who asked, and where. */
export interface Asked {
  readonly inboxId: number;
  readonly role: Role;
  readonly envelope: MessageEnvelope;
  /** The value of a `/secret set`; it stands in no envelope. */
  readonly secret: string | null;
}

/** A message for another person. */
export interface Notice {
  readonly userKey: string | null;
  readonly chatKey: string;
  /** Says it in the language of whoever reads it. */
  readonly text: () => string;
  /** What they are to write, as an answer to it. */
  readonly prompt?: Omit<OpenPrompt, 'outboxKey'>;
}

export interface Answer {
  /** Null when a note that is shown for a moment is all there is to say. */
  readonly text: string | null;
  /** Shown for a moment to the person who pressed a button. */
  readonly toast?: string;
  /** Chats besides, with something new to send. */
  readonly chats?: readonly string[];
  /** Puts what stands below the text, in the same transaction: the chats that it is in. */
  readonly putBelow?: () => Promise<readonly string[]>;
  /** A lane that goes on. */
  readonly wake?: WakeUp | null;
  /** What its sender is to write, as an answer to the text: kept until they do. */
  readonly prompt?: Omit<OpenPrompt, 'outboxKey'>;
  /** Buttons under the text. */
  readonly buttons?: readonly RuntimeButton[];
  /** What the history keeps instead, when the text holds a secret. */
  readonly afterwards?: string;
  /** The text is for its reader alone. Where a command's answer does not say, the command does. */
  readonly personal?: boolean;
  /** The text shows values as they are: see OutboundBody. */
  readonly isExact?: boolean;
  readonly notices?: readonly Notice[];
  /** A person got a role or lost one. */
  readonly peopleChanged?: boolean;
  /** People whose lanes were asked to stop, and must hear of it. */
  readonly stops?: readonly string[];
}

export interface AnswerParts {
  readonly db: Queryable;
  /** The policy set that is in force now. */
  readonly policy: () => PolicyEngine;
  readonly cipher: SecretSealer;
  readonly channel: Pick<Channel, 'name' | 'link'>;
}

/** The answer to a person whose role does not allow what they asked for. */
export function refuse({ role }: Asked, needed: Role): Answer {
  return { text: sayError('NOT_PERMITTED', { role, needed }), personal: true };
}
