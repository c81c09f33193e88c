import { openPool } from '@signalbox/store/pool';
import { createServices } from '@signalbox/store/deploy/services';
import { createLog } from '@signalbox/platform/log';
import { SECOND_MS, withinMs } from '@signalbox/contracts/time';

/** After Ctrl-C the terminal waits no longer than this for a line of text. */
const LOOK_MS = 2 * SECOND_MS;

/** Says which services go on running without Signalbox, and how they are stopped; null when there are none, or when the database does not answer. */
export async function describeDeployed(databaseUrl: string): Promise<string | null> {
  const pool = openPool(databaseUrl, createLog('start', 'silent'), { name: 'start', max: 1 });
  try {
    const services = await withinMs(createServices(pool).list({}), LOOK_MS);
    const [first, ...others] = (services ?? []).filter(({ serving }) => serving !== null);
    if (!first) return null;
    const names = [first, ...others].map(({ project, environment }) => `${project}/${environment}`).join(', ');
    const goes = others.length === 0 ? 'goes on running' : 'go on running';
    const { project, environment } = first;
    return `${names} ${goes} (deployed programs outlive Signalbox); before the next Ctrl-C say "stop ${project} in ${environment}", or run: npm run signalbox -- services stop ${project} ${environment}`;
  } catch {
    return null; // the database went away first: stopping is not kept waiting
  } finally {
    await pool.end().catch(() => undefined);
  }
}
