import { Refusal } from './simulator.ts';

/** Runs an action; returns null, or a sentence with the reason of the failure. */
export async function attempt(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    return error instanceof Refusal ? error.message : 'The simulator does not answer.';
  }
}
