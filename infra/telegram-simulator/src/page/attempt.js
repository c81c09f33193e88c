import { showToast } from './notice.js';
import { Refusal } from './simulator.js';

/** Does something for a person; answers null, or a sentence that says why it could not be done. */
export async function attempt(work) {
  try {
    await work();
    return null;
  } catch (error) {
    return error instanceof Refusal ? error.message : 'The simulator does not answer.';
  }
}

/** The same for what has no place of its own for such a sentence. `praise` is said when it is done. */
export async function tell(work, praise = null) {
  const problem = await attempt(work);
  if (problem !== null) showToast(problem, 'error');
  else if (praise !== null) showToast(praise);
}
