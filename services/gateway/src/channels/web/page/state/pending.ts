import { parseJson } from '@signalbox/contracts/system-error';
import { z } from 'zod';

const PendingMessage = z.object({
  id: z.string(),
  text: z.string(),
  voice: z.boolean(),
  /** Refused: it is not sent again by itself. */
  isRefused: z.boolean(),
});
export type PendingMessage = z.infer<typeof PendingMessage>;

export interface PendingPress {
  readonly id: string;
  readonly componentId: string;
  /** What the person saw when they pressed. */
  readonly version: string;
  readonly index: number;
}

/**
 * What the person said and the gateway has not confirmed yet. It is sent again after each interruption, under the id that it has from the
 * beginning, so the gateway takes it once. Messages outlive a reload of the page; presses of buttons do not.
 */
export class Pending {
  #messages: readonly PendingMessage[];
  readonly #presses = new Map<string, PendingPress>();
  readonly #key: string;

  /** `owner` tells people and conversations apart: what one wrote is never sent as another. */
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

  /** Which button of a component was pressed and not answered yet. */
  pressOf(componentId: string): number | null {
    return this.#presses.get(componentId)?.index ?? null;
  }

  /** The gateway has it, or the person does not want it any more. */
  dropMessage(id: string): void {
    if (this.#messages.some((one) => one.id === id)) this.#keep(this.#messages.filter((one) => one.id !== id));
  }

  dropPress(id: string): void {
    for (const [componentId, press] of this.#presses) if (press.id === id) this.#presses.delete(componentId);
  }

  /** The gateway cannot read one of these: none is sent again before the person says so. */
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

/** Browsers make UUIDs only at secure addresses, and a machine at home may have none. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
