import type { MessageEnvelope } from '@signalbox/shared/contracts/envelope';
import type { Role } from '@signalbox/shared/contracts/roles';
import type { CodeOutcome } from '@signalbox/shared/db/invitations';
import type { Queryable } from '@signalbox/shared/db/pool';
import type { SecretCipher } from '@signalbox/shared/secrets/cipher';
import type { Channel } from '../channels/channel.ts';
import type { AnsweredCommand } from '../command.ts';

/** What is answered at admission, without waiting for a turn. */
export type Question =
  | { readonly kind: 'command'; readonly name: AnsweredCommand; readonly rest: string }
  | { readonly kind: 'unknown-command'; readonly typed: string }
  | { readonly kind: 'code'; readonly outcome: CodeOutcome }
  | { readonly kind: 'exposed-code' };

/** Who asked, and where. */
export interface Asked {
  readonly inboxId: number;
  readonly role: Role;
  readonly envelope: MessageEnvelope;
  /** The value of a `/secret set`; it stands in no envelope. */
  readonly secret: string | null;
}

/** Something that somebody else is to hear. */
export interface Notice {
  readonly userKey: string | null;
  readonly chatKey: string;
  readonly text: string;
}

export interface Answer {
  readonly text: string;
  /** What the history keeps instead, when the text holds a secret. */
  readonly afterwards?: string;
  /** The text is nobody else's business. */
  readonly personal?: boolean;
  readonly notices?: readonly Notice[];
  /** Somebody got a role or lost one. */
  readonly peopleChanged?: boolean;
  /** People whose lanes were asked to stop, and must hear of it. */
  readonly stops?: readonly string[];
}

export interface AnswerParts {
  readonly db: Queryable;
  readonly cipher: SecretCipher;
  readonly channel: Pick<Channel, 'name' | 'inviteLink' | 'privateChat'>;
}
