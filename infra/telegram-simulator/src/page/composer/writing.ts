import type { MessageView } from '../../store/message-view.ts';
import { attempt } from '../state/attempt.ts';
import { keyOf, type Place } from '../state/place.ts';
import { act, sendFiles } from '../state/simulator.ts';
import { splitText } from './text-parts.ts';

/** The message that is answered or changed. */
export interface Context {
  readonly mode: 'reply' | 'edit';
  readonly message: MessageView;
}

export interface WritingOptions {
  readonly onChange: () => void;
  /** Gets why something could not be sent, as a sentence. */
  readonly onProblem: (problem: string) => void;
}

/** The message that is being written. Each person has a text per chat; files and the quoted message are dropped on a switch. */
export class Writing {
  text = '';
  context: Context | null = null;
  files: readonly File[] = [];
  /** Why a file was not taken or not sent. */
  problem = '';
  isSending = false;
  #place: Place | null = null;
  readonly #texts = new Map<string, string>();
  readonly #options: WritingOptions;

  constructor(options: WritingOptions) {
    this.#options = options;
  }

  /** Turns to a chat: keeps the text of the old one and brings back that of the new. */
  open(next: Place): void {
    const before = this.#place;
    this.#place = next;
    if (before && keyOf(before) === keyOf(next)) return;
    if (before && this.context?.mode !== 'edit') this.#texts.set(keyOf(before), this.text);
    this.#change({ text: this.#texts.get(keyOf(next)) ?? '', context: null, files: [], problem: '' });
  }

  type(text: string): void {
    this.#change({ text });
  }

  /** Begins an answer to a message, or a change of it. */
  begin(context: Context): void {
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

  /** Sends a text with the files that wait. What cannot be sent comes back, unless something new was typed meanwhile. */
  async submit(value: string): Promise<void> {
    const { context } = this;
    const to = this.#place;
    const files = context?.mode === 'edit' ? [] : this.files;
    const parts = files.length > 0 ? [value.trim()] : splitText(value);
    if (parts.length === 0 || this.isSending || to === null) return;
    this.#change({ isSending: files.length > 0, text: '', context: null });
    const send = context?.mode === 'edit' ? this.#edit(to, context, parts) : this.#send(to, context, parts, files);
    const failed = (await send).join('\n').trim();
    this.#change({ isSending: false });
    if (failed === '') return;
    if (this.#place === null || keyOf(to) !== keyOf(this.#place)) this.#texts.set(keyOf(to), failed);
    else this.#change({ text: this.text || failed, context: this.context ?? context });
  }

  /** Sends one after the other, the files with the first; answers those that could not be sent. */
  async #send(
    to: Place,
    context: Context | null,
    parts: readonly string[],
    files: readonly File[],
  ): Promise<readonly string[]> {
    const { person, chat, topic } = to;
    for (const [index, text] of parts.entries()) {
      const replyTo = index === 0 ? (context?.message.messageId ?? null) : null;
      const message = { from: person.id, chat: chat.id, topic, text, replyTo };
      const problem = await attempt(() => (files.length === 0 ? act('messages', message) : sendFiles(message, files)));
      if (problem === null) this.removeFiles(files);
      else if (files.length === 0) this.#options.onProblem(problem);
      else this.#change({ problem });
      if (problem !== null) return parts.slice(index);
    }
    return [];
  }

  async #edit(to: Place, context: Context, [text, ...others]: readonly string[]): Promise<readonly string[]> {
    const { messageId, text: before } = context.message;
    if (text === undefined || text === before) return [];
    const edit = { from: to.person.id, chat: to.chat.id, messageId, text };
    const problem = await attempt(() => act('edits', edit));
    if (problem !== null) this.#options.onProblem(problem);
    return problem === null ? [] : [text, ...others];
  }

  #change(fields: Partial<Pick<Writing, 'text' | 'context' | 'files' | 'problem' | 'isSending'>>): void {
    Object.assign(this, fields);
    this.#options.onChange();
  }
}
