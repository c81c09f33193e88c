import { expect, it } from 'vitest';
import { diagnoseService } from './health.ts';

const HEALTH = {
  project: 'shop',
  environment: 'staging',
  verdict: 'nothing-deployed',
  because: 'Nothing is deployed there now.',
  release: null,
  reportedRelease: null,
  proxy: null,
  instance: null,
  process: null,
  usualLatencyMs: null,
  diskFreeMb: null,
  errorsLastHour: 0,
};
const NEWEST = { version: 'oops', kind: 'deploy', state: 'failed', by: 'Ben', ago: '20 s' };
const FOUND = {
  state: 'done',
  project: 'shop',
  environment: 'staging',
  health: HEALTH,
  previous: null,
  servingForSeconds: null,
  errors: [],
  lines: [],
  proposal: { action: 'deploy', because: null },
};
const said = (failure: string | null): string =>
  diagnoseService.done({ ...FOUND, deployments: [{ ...NEWEST, failure }] }, { project: 'shop' });

it('why the latest deployment failed is told by a diagnosis, which says its conclusion once', () => {
  const failure = 'The latest deployment, oops, failed while building. The build failed.';
  expect(said(failure)).toMatch(
    /is \*\*not running\*\*\. Nothing is deployed there now\.\n\nThe latest deployment, oops, failed/,
  );
  expect(said(failure).split('Nothing is deployed there now.')).toHaveLength(2);
  expect(said(null)).not.toContain('The latest deployment');
});
