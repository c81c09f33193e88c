import { SECOND_MS } from '@signalbox/contracts/time';
import type { WorkRow } from '@signalbox/store/deploy/deployments-rows';
import type { Pool } from '@signalbox/store/pool';
import { errorOf } from '../logs/error-lines.ts';
import { readLines, type Mask } from '../logs/read-lines.ts';
import type { Driver } from '../drivers/driver.ts';
import { beginCrashStop } from './crash-stops.ts';
import type { ServiceRevivals } from './service-revivals.ts';
import type { HealthMeasurements } from './verdict.ts';

/** What crashes again and again has little to finish. */
const GRACE_MS = 5 * SECOND_MS;
/** Lines among which the last error is looked for: a trace of a crash fits, and that of several. */
const LINES = 100;
const SAID_LENGTH = 160;

/**
 * Stops what serves for good when its crash loop has reached the limit: written down first, so that of two lookers it is one stop, and
 * what one that died has begun the next one finishes. Gives what is so then.
 */
export async function endCrashLoop(
  parts: { readonly pool: Pool; readonly revivals: Pick<ServiceRevivals, 'isOpen'> },
  { driver, signal }: { readonly driver: Driver; readonly signal: AbortSignal },
  { project, environment, deploymentId, instance }: WorkRow,
  found: HealthMeasurements,
): Promise<HealthMeasurements> {
  const { crashLoop, process } = found;
  if (!crashLoop?.isOver || instance === null) return found;
  const serving = { project, environment, deploymentId };
  // Whoever brings it back says what becomes of it.
  if (!crashLoop.isStopped && (await parts.revivals.isOpen(serving))) return found;
  if (!crashLoop.isStopped && !(await beginCrashStop(parts.pool, serving, crashLoop))) return found;
  if (process?.running) await driver.stop(instance, GRACE_MS, signal);
  return { ...found, crashLoop: { ...crashLoop, isStopped: true } };
}

/** The last line of its log that reports an error, else its last line; without secrets, shortened. Null when it said nothing. */
export async function lastErrorOf(
  driver: Pick<Driver, 'logs'>,
  { instance }: WorkRow,
  mask: Mask,
  signal: AbortSignal,
): Promise<string | null> {
  if (instance === null) return null;
  const lines = (await readLines(driver, instance, { tail: LINES, signal }, mask)).map(({ line }) => line);
  const error = lines.map(errorOf).findLast((said) => said !== null);
  const said = (error ?? lines.findLast((line) => line.trim() !== '') ?? '').trim();
  if (said === '') return null;
  return said.length > SAID_LENGTH ? `${said.slice(0, SAID_LENGTH)} …` : said;
}
