import { act, readChat } from './chat.ts';
import type { SoakField } from './field.ts';
import { eventually } from '../../support/until.ts';

const PERSON = '49999';
const USUAL_MS = 1_000;
const LARGEST = 3;

/** How much slower than usual a message is answered while nothing is broken: from 1 to 3. The first answer warms things up. */
export async function measureSlowness({ pool, simulatorUrl }: SoakField): Promise<number> {
  await act(simulatorUrl, '/api/people', { id: Number(PERSON), name: 'Probe' });
  await pool.query(`insert into users (user_key, channel, name, role) values ($1, 'telegram', 'Probe', 'viewer')`, [
    PERSON,
  ]);
  let tookMs = 0;
  for (let answers = 1; answers <= 3; answers++) {
    const startedAt = performance.now();
    await act(simulatorUrl, '/api/messages', { from: Number(PERSON), text: 'list projects' });
    await eventually(
      () => readChat(simulatorUrl, PERSON),
      (said) => said.length >= answers,
      60_000,
    );
    tookMs = performance.now() - startedAt;
  }
  return Math.min(LARGEST, Math.max(1, tookMs / USUAL_MS));
}
