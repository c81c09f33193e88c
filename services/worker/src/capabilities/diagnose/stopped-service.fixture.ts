import { ServiceHealthResult } from '@signalbox/contracts/operations/operations';

/** The health of a stopped service. */
export const stoppedHealth = ServiceHealthResult.parse({
  project: 'demo',
  environment: 'staging',
  verdict: 'nothing-deployed',
  because: 'Nothing is deployed there now.',
  release: null,
  reportedRelease: null,
  proxy: null,
  instance: null,
  process: null,
  diskFreeMb: null,
  usualLatencyMs: 4,
  lacks: null,
  errorsLastHour: 0,
});
