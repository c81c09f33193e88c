import { expect, it } from 'vitest';
import { diagnoseService } from './health.ts';
import { stoppedHealth } from './stopped-service.fixture.ts';

const NEWEST = { version: 'oops', kind: 'deploy', state: 'failed', by: 'Ben', ago: '20 s' };
const FOUND = {
  state: 'done',
  project: stoppedHealth.project,
  environment: stoppedHealth.environment,
  health: stoppedHealth,
  previous: null,
  servingForSeconds: null,
  errors: [],
  lines: [],
  proposal: { action: 'deploy', because: null },
};
const said = (failure: string | null): string =>
  diagnoseService.done({ ...FOUND, deployments: [{ ...NEWEST, failure }] }, { project: stoppedHealth.project });

it('a diagnosis says why the latest deployment failed, and states its conclusion only once', () => {
  const failure = 'The latest deployment, oops, failed while building. The build failed.';
  expect(said(failure)).toMatch(
    /is \*\*not running\*\*\. Nothing is deployed there now\.\n\nThe latest deployment, oops, failed/,
  );
  expect(said(failure).split('Nothing is deployed there now.')).toHaveLength(2);
  expect(said(null)).not.toContain('The latest deployment');
});
