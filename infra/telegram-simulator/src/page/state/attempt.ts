import { Refusal } from './simulator.ts';

/** Does something for a person; answers null, or a sentence that says why it could not be done. */
export async function attempt(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    return error instanceof Refusal ? error.message : 'The simulator does not answer.';
  }
}
