import type { ApprovalCommand } from '@signalbox/contracts/governance/approval';
import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import type { IncidentCommand, MessageEnvelope, RuntimeButton } from '@signalbox/contracts/conversation/envelope';
import type { WakeUp } from '@signalbox/contracts/conversation/topics';
import type { OpenPrompt } from '../rows/approval-prompts.ts';
import type { Role } from '@signalbox/contracts/governance/roles';
import { sayError } from '@signalbox/messages/say';
import type { CodeOutcome } from './invitations.ts';
import type { Queryable } from '@signalbox/store/pool';
import type { SecretSealer } from '@signalbox/safety/secrets/cipher';
import type { Channel } from '../channels/channel.ts';

/** What the gateway answers itself at admission, without a turn. */
export type GatewayQuestion =
  | { readonly kind: 'command'; readonly name: string; readonly rest: string }
  | { readonly kind: 'unknown-command'; readonly typed: string }
  | { readonly kind: 'code'; readonly outcome: CodeOutcome }
  | { readonly kind: 'exposed-code' }
  | { readonly kind: 'voice' }
  | { readonly kind: 'approval'; readonly act: ApprovalCommand }
  | { readonly kind: 'incident'; readonly act: IncidentCommand }
  /** A press on Stop below a followed log, or a stop word (`runId` null). */
  | { readonly kind: 'end-log'; readonly runId: string | null }
  | { readonly kind: 'prompt'; readonly prompt: OpenPrompt; readonly text: string };

export interface QuestionContext {
  readonly inboxId: number;
  readonly role: Role;
  readonly envelope: MessageEnvelope;
  /** The value of `/secret set`, which the envelope does not hold; null for other questions. */
  readonly secret: string | null;
}

export interface Notice {
  readonly userKey: string | null;
  readonly chatKey: string;
  /** Renders the text; called in the reader's language. */
  readonly text: () => string;
  /** The prompt that is answered by the reader's reply. */
  readonly prompt?: Omit<OpenPrompt, 'outboxKey'>;
}

export interface GatewayAnswer {
  /** Null when only a toast is shown. */
  readonly text: string | null;
  readonly toast?: string;
  readonly chats?: readonly string[];
  /** Queues further messages below the text, in the same transaction, and returns their chats. */
  readonly putBelow?: () => Promise<readonly string[]>;
  readonly wake?: WakeUp | null;
  /** The prompt that is answered by the sender's reply. */
  readonly prompt?: Omit<OpenPrompt, 'outboxKey'>;
  readonly buttons?: readonly RuntimeButton[];
  /** The text to keep in the history, when `text` holds a secret. */
  readonly afterwards?: string;
  /** True when only the sender sees the text in a group. Default: the command's `personal`. */
  readonly personal?: boolean;
  /** True to show values unchanged: see OutboundBody. */
  readonly isExact?: boolean;
  readonly notices?: readonly Notice[];
  /** True when a person got or lost a role. */
  readonly peopleChanged?: boolean;
  /** People whose running turns must stop. */
  readonly stops?: readonly string[];
}

export interface AnswerDeps {
  readonly db: Queryable;
  readonly policy: () => PolicyEngine;
  readonly cipher: SecretSealer;
  readonly channel: Pick<Channel, 'name' | 'link'>;
}

export function refuseRole({ role }: QuestionContext, needed: Role): GatewayAnswer {
  return { text: sayError('NOT_PERMITTED', { role, needed }), personal: true };
}
