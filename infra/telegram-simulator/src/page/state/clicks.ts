import { click } from './simulator.ts';

/** A client stops waiting for an answer after a while; the bot may still do the work. */
const GIVE_UP_MS = 15_000;

/** What a bot answers to a press. */
export interface ClickAnswer {
  readonly callbackQueryId: string;
  readonly text: string;
  readonly showAlert: boolean;
}

/** Presses buttons and waits for what the bot answers. */
export class Clicks {
  /** An answer can overtake the response to the press itself, so each is kept for a while. */
  readonly #answers = new Map<string, PromiseWithResolvers<ClickAnswer | null>>();

  /** Returns null when the bot says nothing in time. Throws what the simulator refuses. */
  async press(button: object): Promise<ClickAnswer | null> {
    const { callbackQueryId } = await click(button);
    return this.#answerOf(callbackQueryId).promise;
  }

  answered(answer: ClickAnswer): void {
    this.#answerOf(answer.callbackQueryId).resolve(answer);
  }

  #answerOf(id: string): PromiseWithResolvers<ClickAnswer | null> {
    const known = this.#answers.get(id);
    if (known) return known;
    const answer = Promise.withResolvers<ClickAnswer | null>();
    this.#answers.set(id, answer);
    setTimeout(() => {
      answer.resolve(null);
      this.#answers.delete(id);
    }, GIVE_UP_MS);
    return answer;
  }
}
