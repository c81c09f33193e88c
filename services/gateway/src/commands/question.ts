import type { ApprovalAct } from '@signalbox/contracts/governance/approval';
import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import type { MessageEnvelope, RuntimeButton } from '@signalbox/contracts/conversation/envelope';
import type { WakeUp } from '@signalbox/contracts/conversation/topics';
import type { OpenPrompt } from '../rows/approval-prompts.ts';
import type { Role } from '@signalbox/contracts/governance/roles';
import { sayError } from '@signalbox/messages/say';
import type { CodeOutcome } from './invitations.ts';
import type { Queryable } from '@signalbox/store/pool';
import type { SecretSealer } from '@signalbox/safety/secrets/cipher';
import type { Channel } from '../channels/channel.ts';

/** A request that the gateway answers at admission, without a turn. */
export type Question =
  | { readonly kind: 'command'; readonly name: string; readonly rest: string }
  | { readonly kind: 'unknown-command'; readonly typed: string }
  | { readonly kind: 'code'; readonly outcome: CodeOutcome }
  | { readonly kind: 'exposed-code' }
  | { readonly kind: 'voice' }
  | { readonly kind: 'approval'; readonly act: ApprovalAct }
  /** The Stop button of a followed log, or a stop word (null run). */
  | { readonly kind: 'end-log'; readonly runId: string | null }
  | { readonly kind: 'prompt'; readonly prompt: OpenPrompt; readonly text: string };

export interface AskedQuestion {
  readonly inboxId: number;
  readonly role: Role;
  readonly envelope: MessageEnvelope;
  /** The value of `/secret set`, which is in no envelope. */
  readonly secret: string | null;
}

export interface Notice {
  readonly userKey: string | null;
  readonly chatKey: string;
  /** Renders the text in the reader's language. */
  readonly text: () => string;
  /** The prompt that the reader's reply answers. */
  readonly prompt?: Omit<OpenPrompt, 'outboxKey'>;
}

export interface GatewayAnswer {
  /** Null when the toast says it all. */
  readonly text: string | null;
  readonly toast?: string;
  readonly chats?: readonly string[];
  /** Puts messages below the text, in the same transaction; returns their chats. */
  readonly putBelow?: () => Promise<readonly string[]>;
  readonly wake?: WakeUp | null;
  /** The prompt that the sender's reply to the text answers. */
  readonly prompt?: Omit<OpenPrompt, 'outboxKey'>;
  readonly buttons?: readonly RuntimeButton[];
  /** Kept in the history instead of a text that holds a secret. */
  readonly afterwards?: string;
  /** Only the sender sees the text. Default: the command's `personal`. */
  readonly personal?: boolean;
  /** Shows values unchanged: see OutboundBody. */
  readonly isExact?: boolean;
  readonly notices?: readonly Notice[];
  /** True when a person got a role or lost one. */
  readonly peopleChanged?: boolean;
  /** People whose running turns were asked to stop. */
  readonly stops?: readonly string[];
}

export interface AnswerDeps {
  readonly db: Queryable;
  readonly policy: () => PolicyEngine;
  readonly cipher: SecretSealer;
  readonly channel: Pick<Channel, 'name' | 'link'>;
}

export function refuseRole({ role }: AskedQuestion, needed: Role): GatewayAnswer {
  return { text: sayError('NOT_PERMITTED', { role, needed }), personal: true };
}
