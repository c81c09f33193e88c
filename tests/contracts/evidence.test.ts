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

it('a health check is evidence for measured values, but not for what the service reports about itself', () => {
  const evidence = evidenceOf('check_service_health', health);
  expect(isBacked('shop 1.2.0 in production is running ✅', evidence)).toBe(true);
  expect(isBacked('shop 9.9.9 in production is running ✅', evidence)).toBe(false);
});

it('the health check of a service that is down is no evidence for a claim with a check mark', () => {
  const evidence = evidenceOf('check_service_health', { ...health, verdict: 'down' });
  expect(isBacked('shop in production is down', evidence)).toBe(true);
  expect(isBacked('shop in production ✅', evidence)).toBe(false);
});

it('log lines are no evidence for a claim, but the name of their service is', () => {
  const lines = [{ at: '2026-01-01T00:00:00Z', text: 'shop-9.9.9' }, 'deployed', '9.9.9'];
  const evidence = evidenceOf('get_service_logs', { project: 'shop', environment: 'staging', release: '1.0', lines });
  expect(evidence).toEqual({ project: 'shop', environment: 'staging', release: '1.0' });
});

it('a diagnosis is evidence for claims about its figures, but its error samples and log lines are not', () => {
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

it('the output of a command is no evidence for any claim', () => {
  expect(evidenceOf('run_diagnostic', { server: 'local', stdout: 'shop', code: 0 })).toEqual({
    server: 'local',
    code: 0,
  });
});
