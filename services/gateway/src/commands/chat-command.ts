import type { Role } from '@signalbox/contracts/governance/roles';
import type { MessageKey } from '@signalbox/messages/say';
import type { GatewayAnswer, AnswerDeps, QuestionContext } from './question.ts';

/** A chat command: the default export of `commands/<group>/<name>.ts`. */
export interface ChatCommand {
  /** The name after the slash: a to z, digits and underscores, at most 32 characters (Telegram's rule). */
  readonly name: string;
  /** The lowest role that may use the command. Others get NOT_PERMITTED. */
  readonly who: Role;
  /** True when programs may use the command too. Default: people only. */
  readonly forPrograms?: boolean;
  /** A late command asks for confirmation first, because it affects other people. */
  readonly asksWhenOld?: true;
  /** True when only the sender sees the answer in a group. An answer may override this. */
  readonly personal: boolean;
  /** The entry in the command menus of clients, lowest place first; null for a command without an entry. */
  readonly menu: { readonly place: number; readonly description: MessageKey } | null;
  /** The line in /help; null when another command's line covers this one. */
  readonly help: MessageKey | null;
  /** Answers the text after the name, in the transaction that admitted it. Null: a worker runs the command in the sender's lane. */
  readonly answer:
    ((parts: CommandDeps, typed: string, asked: QuestionContext) => GatewayAnswer | Promise<GatewayAnswer>) | null;
}

export interface CommandDeps extends AnswerDeps {
  readonly commands: readonly ChatCommand[];
}
