import type { Role } from '@signalbox/contracts/governance/roles';
import type { MessageKey } from '@signalbox/messages/say';
import type { Answer, AnswerParts, Asked } from './question.ts';

/** One command of the chat: the default export of `commands/<group>/<name>.ts`. */
export interface ChatCommand {
  /** What people type behind the slash. Telegram allows a to z, digits and underscores, at most 32 of them. */
  readonly name: string;
  /** The lowest role that gets an answer. The others read NOT_PERMITTED. */
  readonly who: Role;
  /** A program may use it too. Left out: only people may. */
  readonly forPrograms?: boolean;
  /** It gives or takes what others rely on: one that was written long before it came in is asked about, and not carried out. */
  readonly asksWhenOld?: true;
  /** In a group only the sender sees the answer, unless the answer says otherwise. */
  readonly personal: boolean;
  /** What clients offer behind "/", lowest place first. Null: only those who know the command type it. */
  readonly menu: { readonly place: number; readonly description: MessageKey } | null;
  /** Its line of /help. Null: the line of another command names it. */
  readonly help: MessageKey | null;
  /**
   * Answers in the transaction that admitted the command; `typed` is the text after the name. An update that comes twice is
   * answered once. Null: the command takes its place among the messages, and the worker carries it out.
   */
  readonly answer: ((parts: CommandParts, typed: string, asked: Asked) => Answer | Promise<Answer>) | null;
}

export interface CommandParts extends AnswerParts {
  /** All commands, in the order of the menus. */
  readonly commands: readonly ChatCommand[];
}
