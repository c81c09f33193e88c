import type { Role } from '@signalbox/contracts/governance/roles';
import type { MessageKey } from '@signalbox/messages/say';
import type { GatewayAnswer, AnswerDeps, AskedQuestion } from './question.ts';

/** One chat command: the default export of `commands/<group>/<name>.ts`. */
export interface ChatCommand {
  /** The name after the slash: a to z, digits and underscores, at most 32 characters (Telegram's rule). */
  readonly name: string;
  /** The lowest role that may use it. Others get NOT_PERMITTED. */
  readonly who: Role;
  /** True when programs may use it too. Default: people only. */
  readonly forPrograms?: boolean;
  /** Asks for confirmation when the command arrives late, because others depend on its effect. */
  readonly asksWhenOld?: true;
  /** In a group only the sender sees the answer, unless the answer overrides it. */
  readonly personal: boolean;
  /** The entry in clients' command menus, lowest place first. Null: not in the menu. */
  readonly menu: { readonly place: number; readonly description: MessageKey } | null;
  /** The line in /help. Null: another command's line covers it. */
  readonly help: MessageKey | null;
  /**
   * Answers in the transaction that admitted the command; `typed` is the text after the name. Repeated updates are
   * answered once. Null: the worker runs the command in the lane, like a message.
   */
  readonly answer:
    ((parts: CommandDeps, typed: string, asked: AskedQuestion) => GatewayAnswer | Promise<GatewayAnswer>) | null;
}

export interface CommandDeps extends AnswerDeps {
  readonly commands: readonly ChatCommand[];
}
