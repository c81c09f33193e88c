import { SECOND_MS } from '@signalbox/contracts/time';
import type { FullDeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import type { Pool } from '@signalbox/store/pool';
import { readErrorMessage } from '../logs/error-lines.ts';
import { readLines, type LogRedactor } from '../logs/read-lines.ts';
import type { Driver } from '../drivers/driver.ts';
import { beginCrashStop } from './crash-stops.ts';
import type { ServiceRevivals } from './service-revivals.ts';
import type { HealthMeasurements } from './verdict.ts';

/** Grace period of a program in a crash loop before it is killed. */
const GRACE_MS = 5 * SECOND_MS;
/** Maximum log lines searched for the last error; several stack traces fit. */
const MAX_SEARCHED_LINES = 100;
const SAID_LENGTH = 160;

/** Stops a service at its crash loop's limit. The stop is recorded first, so that the next probe finishes an interrupted stop. */
export async function endCrashLoop(
  parts: { readonly pool: Pool; readonly revivals: Pick<ServiceRevivals, 'isOpen'> },
  { driver, signal }: { readonly driver: Driver; readonly signal: AbortSignal },
  { project, environment, deploymentId, instance }: FullDeploymentRow,
  found: HealthMeasurements,
): Promise<HealthMeasurements> {
  const { crashLoop, process } = found;
  if (!crashLoop?.isOver || instance === null) return found;
  const serving = { project, environment, deploymentId };
  // A restart of a lost service that is under way reports its own end.
  if (!crashLoop.isStopped && (await parts.revivals.isOpen(serving))) return found;
  if (!crashLoop.isStopped && !(await beginCrashStop(parts.pool, serving, crashLoop))) return found;
  if (process?.running) await driver.stop(instance, GRACE_MS, signal);
  return { ...found, crashLoop: { ...crashLoop, isStopped: true } };
}

/** Reads the last error line of a program's log, or else its last line, redacted and shortened. Null for an empty log. */
export async function readLastError(
  driver: Pick<Driver, 'logs'>,
  { instance }: FullDeploymentRow,
  mask: LogRedactor,
  signal: AbortSignal,
): Promise<string | null> {
  if (instance === null) return null;
  const lines = (await readLines(driver, instance, { tail: MAX_SEARCHED_LINES, signal }, mask)).map(({ line }) => line);
  const error = lines.map(readErrorMessage).findLast((said) => said !== null);
  const said = (error ?? lines.findLast((line) => line.trim() !== '') ?? '').trim();
  if (said === '') return null;
  return said.length > SAID_LENGTH ? `${said.slice(0, SAID_LENGTH)} …` : said;
}
