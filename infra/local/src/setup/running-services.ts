import { openPool } from '@signalbox/store/pool';
import { createServiceStore } from '@signalbox/store/deploy/services';
import { createLog } from '@signalbox/platform/log';
import { SECOND_MS, waitAtMost } from '@signalbox/contracts/time';

/** Limits how long this query delays the shutdown. */
const QUERY_TIMEOUT_MS = 2 * SECOND_MS;

/** Lists services that outlive Signalbox, and how to stop them. Null when there are none or the database does not answer. */
export async function describeRunningServices(databaseUrl: string): Promise<string | null> {
  const pool = openPool(databaseUrl, createLog('start', 'silent'), { name: 'start', max: 1 });
  try {
    const services = await waitAtMost(createServiceStore(pool).list({}), QUERY_TIMEOUT_MS);
    const [first, ...others] = (services ?? []).filter(({ serving }) => serving !== null);
    if (!first) return null;
    const names = [first, ...others].map(({ project, environment }) => `${project}/${environment}`).join(', ');
    const goes = others.length === 0 ? 'goes on running' : 'go on running';
    const { project, environment } = first;
    return `${names} ${goes} (deployed programs outlive Signalbox); before the next Ctrl-C say "stop ${project} in ${environment}", or run: npm run signalbox -- services stop ${project} ${environment}`;
  } catch {
    return null; // a lost database must not delay the shutdown
  } finally {
    await pool.end().catch(() => undefined);
  }
}
