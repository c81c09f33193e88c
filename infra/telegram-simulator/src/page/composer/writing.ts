import type { MessageView } from '../../people/message-view.ts';
import { attempt } from '../state/attempt.ts';
import { keyOf, type Place } from '../state/place.ts';
import { act, sendFiles } from '../state/simulator.ts';
import { batchFiles, findFileProblem, planMessages, type Planned } from './file-batches.ts';
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

/** What somebody is writing. Each chat of each person keeps its own text. */
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

  /** Takes files that can be sent, and says why it takes no others. */
  addFiles(given: readonly File[]): void {
    const problems = given.map(findFileProblem);
    const taken = given.filter((_, index) => problems[index] === null);
    this.#change({ files: [...this.files, ...taken], problem: problems.filter(Boolean).join(' ') });
  }

  removeFiles(gone: readonly File[]): void {
    this.#change({ files: this.files.filter((file) => !gone.includes(file)), problem: '' });
  }

  /** Sends a text with the files that wait. What cannot be sent comes back, unless something new was typed meanwhile. */
  async submit(value: string): Promise<void> {
    const { context } = this;
    const to = this.#place;
    const batches = context?.mode === 'edit' ? [] : batchFiles(this.files);
    const plan = planMessages(splitText(value), batches);
    if (plan.length === 0 || this.isSending || to === null) return;
    this.#change({ isSending: batches.length > 0, text: '', context: null });
    const failed = context?.mode === 'edit' ? await this.#edit(to, context, plan) : await this.#send(to, context, plan);
    this.#change({ isSending: false });
    if (failed.length === 0) return;
    const words = failed.map(({ text }) => text).join('\n');
    if (this.#place === null || keyOf(to) !== keyOf(this.#place)) this.#texts.set(keyOf(to), words.trim());
    else this.#change({ text: this.text || words.trim(), context: this.context ?? context });
  }

  /** Sends one after the other; answers those that could not be sent. */
  async #send(to: Place, context: Context | null, plan: readonly Planned<File>[]): Promise<readonly Planned<File>[]> {
    const { person, chat, topic } = to;
    for (const [index, { text, kind, files }] of plan.entries()) {
      const replyTo = index === 0 ? (context?.message.messageId ?? null) : null;
      const message = { from: person.id, chat: chat.id, topic, text, replyTo };
      const problem = await attempt(() => (kind === null ? act('messages', message) : sendFiles(message, kind, files)));
      if (problem === null) this.removeFiles(files);
      else if (kind === null) this.#options.onProblem(problem);
      else this.#change({ problem });
      if (problem !== null) return plan.slice(index);
    }
    return [];
  }

  async #edit(to: Place, context: Context, plan: readonly Planned<File>[]): Promise<readonly Planned<File>[]> {
    const { messageId, text: before } = context.message;
    const text = plan[0]?.text;
    if (text === before) return [];
    const edit = { from: to.person.id, chat: to.chat.id, messageId, text };
    const problem = await attempt(() => act('edits', edit));
    if (problem !== null) this.#options.onProblem(problem);
    return problem === null ? [] : plan;
  }

  #change(fields: Partial<Pick<Writing, 'text' | 'context' | 'files' | 'problem' | 'isSending'>>): void {
    Object.assign(this, fields);
    this.#options.onChange();
  }
}
