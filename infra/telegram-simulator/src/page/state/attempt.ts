import { RefusalError } from './simulator.ts';

/** Runs an action; returns null, or a sentence with the reason of the failure. */
export async function tryAction(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    return error instanceof RefusalError ? error.message : 'The simulator does not answer.';
  }
}
