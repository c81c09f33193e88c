import { parseJson } from '@signalbox/contracts/system-error';
import { z } from 'zod';

const PendingMessage = z.object({
  id: z.string(),
  text: z.string(),
  voice: z.boolean(),
  /** True after a refusal: the message is sent again only when the person asks. */
  isRefused: z.boolean(),
});
export type PendingMessage = z.infer<typeof PendingMessage>;

export interface PendingPress {
  readonly id: string;
  readonly componentId: string;
  /** The version that the person saw when pressing. */
  readonly version: string;
  readonly index: number;
}

/** The person's unconfirmed messages and presses, repeated under the same id until confirmed. Only messages survive a reload. */
export class PendingInput {
  #messages: readonly PendingMessage[];
  readonly #presses = new Map<string, PendingPress>();
  readonly #key: string;

  /** `owner` separates people and conversations, so that no text is sent as another person. */
  constructor(owner: string) {
    this.#key = `signalbox.pending.${owner}`;
    this.#messages = z
      .array(PendingMessage)
      .catch([])
      .parse(parseJson(sessionStorage.getItem(this.#key) ?? ''));
  }

  get messages(): readonly PendingMessage[] {
    return this.#messages;
  }

  get presses(): readonly PendingPress[] {
    return [...this.#presses.values()];
  }

  addMessage(text: string, voice: boolean): PendingMessage {
    const message = { id: newId(), text, voice, isRefused: false };
    this.#keep([...this.#messages, message]);
    return message;
  }

  addPress(componentId: string, version: string, index: number): PendingPress {
    const press = { id: newId(), componentId, version, index };
    this.#presses.set(componentId, press);
    return press;
  }

  /** The index of a component's unanswered press; null when there is none. */
  pressOf(componentId: string): number | null {
    return this.#presses.get(componentId)?.index ?? null;
  }

  dropMessage(id: string): void {
    if (this.#messages.some((one) => one.id === id)) this.#keep(this.#messages.filter((one) => one.id !== id));
  }

  dropPress(id: string): void {
    for (const [componentId, press] of this.#presses) if (press.id === id) this.#presses.delete(componentId);
  }

  /** Marks all messages as refused: the gateway cannot read one of them and does not say which. */
  refuseAll(): void {
    this.#keep(this.#messages.map((one) => ({ ...one, isRefused: true })));
    this.#presses.clear();
  }

  allow(id: string): void {
    this.#keep(this.#messages.map((one) => (one.id === id ? { ...one, isRefused: false } : one)));
  }

  clear(): void {
    this.#keep([]);
    this.#presses.clear();
  }

  #keep(messages: readonly PendingMessage[]): void {
    this.#messages = messages;
    if (messages.length === 0) sessionStorage.removeItem(this.#key);
    else sessionStorage.setItem(this.#key, JSON.stringify(messages));
  }
}

/** Browsers offer UUIDs only at secure addresses, which a local machine may not have. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
