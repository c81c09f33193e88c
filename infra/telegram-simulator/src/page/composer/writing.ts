import type { MessageView } from '../../store/message-view.ts';
import { tryAction } from '../state/attempt.ts';
import { buildChatKey, type ShownChat } from '../state/shown-chat.ts';
import { postAction, sendFiles } from '../state/simulator.ts';

/** A Telegram client's maximum message length, in UTF-16 units. */
const MAX_LENGTH = 4_096;

/** The message that is answered or edited. */
export interface ComposerContext {
  readonly mode: 'reply' | 'edit';
  readonly message: MessageView;
}

export interface ComposerOptions {
  readonly onChange: () => void;
  /** Receives a sentence when sending fails. */
  readonly onProblem: (problem: string) => void;
}

/** The message being written. Keeps one text per person and chat; switching chats drops files and the quoted message. */
export class ComposerState {
  text = '';
  context: ComposerContext | null = null;
  files: readonly File[] = [];
  /** Error of the last attachment or send. */
  problem = '';
  isSending = false;
  #shown: ShownChat | null = null;
  readonly #texts = new Map<string, string>();
  readonly #options: ComposerOptions;

  constructor(options: ComposerOptions) {
    this.#options = options;
  }

  /** Switches to another chat and restores its unsent text. */
  open(next: ShownChat): void {
    const before = this.#shown;
    this.#shown = next;
    if (before && buildChatKey(before) === buildChatKey(next)) return;
    if (before && this.context?.mode !== 'edit') this.#texts.set(buildChatKey(before), this.text);
    const text = this.#texts.get(buildChatKey(next)) ?? '';
    // A later edit must not leave an older text that was sent meanwhile.
    this.#texts.delete(buildChatKey(next));
    this.#change({ text, context: null, files: [], problem: '' });
  }

  type(text: string): void {
    this.#change({ text });
  }

  /** Starts a reply to a message, or an edit. */
  begin(context: ComposerContext): void {
    this.#change(context.mode === 'edit' ? { context, text: context.message.text } : { context });
  }

  cancel(): void {
    this.#change(this.context?.mode === 'edit' ? { context: null, text: '' } : { context: null });
  }

  addFiles(given: readonly File[]): void {
    this.#change({ files: [...this.files, ...given], problem: '' });
  }

  removeFiles(gone: readonly File[]): void {
    this.#change({ files: this.files.filter((file) => !gone.includes(file)), problem: '' });
  }

  /** Sends the text and files. Restores what failed, unless something new was typed. */
  async submit(value: string): Promise<void> {
    const { context } = this;
    const to = this.#shown;
    const files = context?.mode === 'edit' ? [] : this.files;
    const parts = files.length > 0 ? [value.trim()] : splitText(value);
    if (parts.length === 0 || this.isSending || to === null) return;
    this.#change({ isSending: files.length > 0, text: '', context: null });
    const send = context?.mode === 'edit' ? this.#edit(to, context, parts) : this.#send(to, context, parts, files);
    const failed = (await send).join('\n').trim();
    this.#change({ isSending: false });
    if (failed === '') return;
    if (this.#shown === null || buildChatKey(to) !== buildChatKey(this.#shown))
      this.#texts.set(buildChatKey(to), failed);
    else this.#change({ text: this.text || failed, context: this.context ?? context });
  }

  /** Sends the parts in order, files with the first; returns the unsent parts. */
  async #send(
    to: ShownChat,
    context: ComposerContext | null,
    parts: readonly string[],
    files: readonly File[],
  ): Promise<readonly string[]> {
    const { person, chat, topic } = to;
    for (const [index, text] of parts.entries()) {
      const replyTo = index === 0 ? (context?.message.messageId ?? null) : null;
      const message = { from: person.id, chat: chat.id, topic, text, replyTo };
      const problem = await tryAction(() =>
        files.length === 0 ? postAction('messages', message) : sendFiles(message, files),
      );
      if (problem === null) this.removeFiles(files);
      else if (files.length === 0) this.#options.onProblem(problem);
      else this.#change({ problem });
      if (problem !== null) return parts.slice(index);
    }
    return [];
  }

  async #edit(
    to: ShownChat,
    context: ComposerContext,
    [text, ...others]: readonly string[],
  ): Promise<readonly string[]> {
    const { messageId, text: before } = context.message;
    if (text === undefined || text === before) return [];
    const edit = { from: to.person.id, chat: to.chat.id, messageId, text };
    const problem = await tryAction(() => postAction('edits', edit));
    if (problem !== null) this.#options.onProblem(problem);
    return problem === null ? [] : [text, ...others];
  }

  #change(fields: Partial<Pick<ComposerState, 'text' | 'context' | 'files' | 'problem' | 'isSending'>>): void {
    Object.assign(this, fields);
    this.#options.onChange();
  }
}

/** Splits a text as clients do: at the last line or word that fits, never inside an emoji. */
export function splitText(text: string): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > MAX_LENGTH) {
    // One more character, because the space after a part is dropped.
    const space = Math.max(rest.lastIndexOf('\n', MAX_LENGTH), rest.lastIndexOf(' ', MAX_LENGTH));
    const hard = /[\ud800-\udbff]/.test(rest[MAX_LENGTH - 1] ?? '') ? MAX_LENGTH - 1 : MAX_LENGTH;
    const cut = space > MAX_LENGTH / 2 ? space : hard;
    parts.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  return rest === '' ? parts : [...parts, rest];
}
