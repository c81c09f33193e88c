import { isUnfounded, listEntityFacts } from '@signalbox/governance/provenance/unfounded';
import { loadCapabilities } from '@signalbox/worker/tools/registry';
import { expect, it } from 'vitest';
import { sampleParts } from '../support/samples.ts';

// Of a result that holds text from outside, only the fields that the runtime made back what a model says.

const groups = await loadCapabilities([], sampleParts.groups);
const evidenceOf = (name: string, result: unknown): unknown =>
  groups.find(({ tools }) => Object.hasOwn(tools, name))?.tools[name]?.evidence(result);
const isBacked = (text: string, evidence: unknown): boolean =>
  !isUnfounded(text, { names: new Set(['shop']), verbs: new Set(), facts: listEntityFacts(evidence) });

const health = {
  state: 'done',
  project: 'shop',
  environment: 'production',
  verdict: 'healthy',
  because: 'release-9.9.9-is-live',
  release: '1.2.0-abc1234',
  reportedRelease: '9.9.9',
  process: { running: true, restarts: 0 },
  errorsLastHour: 0,
};

it('a measured health backs claims about measured values, and not what the service says about itself', () => {
  const evidence = evidenceOf('check_service_health', health);
  expect(isBacked('shop 1.2.0 in production is running ✅', evidence)).toBe(true);
  expect(isBacked('shop 9.9.9 in production is running ✅', evidence)).toBe(false);
});

it('a service that is down backs no claim with a check mark', () => {
  const evidence = evidenceOf('check_service_health', { ...health, verdict: 'down' });
  expect(isBacked('shop in production is down', evidence)).toBe(true);
  expect(isBacked('shop in production ✅', evidence)).toBe(false);
});

it('lines of a log back no claim, but the name of their service does', () => {
  const lines = [{ at: '2026-01-01T00:00:00Z', text: 'shop-9.9.9' }, 'deployed', '9.9.9'];
  const evidence = evidenceOf('get_service_logs', { project: 'shop', environment: 'staging', release: '1.0', lines });
  expect(evidence).toEqual({ project: 'shop', environment: 'staging', release: '1.0' });
});

it('a diagnosis backs claims about its figures, but not samples of errors or log lines', () => {
  const evidence = evidenceOf('diagnose_service', {
    project: 'shop',
    environment: 'production',
    health,
    errors: [{ sample: '9.9.9', count: 3 }],
    lines: ['9.9.9'],
    deployments: [{ version: '1.2.0', state: 'succeeded', by: '9.9.9' }],
  });
  expect(JSON.stringify(evidence)).not.toContain('9.9.9');
  expect(isBacked('shop 1.2.0 in production: 3 errors', evidence)).toBe(true);
});

it('the output of a command backs no claim', () => {
  expect(evidenceOf('run_diagnostic', { server: 'local', stdout: 'shop', code: 0 })).toEqual({});
});
