import { click } from './simulator.ts';

/** Clients stop waiting after this time; the bot may still complete the action. */
const GIVE_UP_MS = 15_000;

/** The bot's answer to a click. */
export interface ClickAnswer {
  readonly callbackQueryId: string;
  readonly text: string;
  readonly showAlert: boolean;
}

/** Presses buttons and waits for the bot's answers. */
export class Clicks {
  /** Kept for a while, because an answer can arrive before the response to its click. */
  readonly #answers = new Map<string, PromiseWithResolvers<ClickAnswer | null>>();

  /** Returns null without an answer in time. Throws the simulator's refusal. */
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
