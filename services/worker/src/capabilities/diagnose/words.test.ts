import { ServiceHealthResult } from '@signalbox/contracts/operations/operations';
import { inLanguage } from '@signalbox/messages/language';
import { expect, it } from 'vitest';
import { describeVerdict } from './words.ts';

const stopped = ServiceHealthResult.parse({
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
  errorsLastHour: 0,
});

it('a service that was stopped is said to be not running, and not by the name of its verdict', () => {
  expect(describeVerdict(stopped)).toBe('**demo** in staging is **not running**. Nothing is deployed there now.');
});

it.each(['de', 'es', 'ru', 'zh'] as const)('no name of a verdict is left in the answer in %s', (language) => {
  expect(inLanguage(language, () => describeVerdict(stopped))).not.toContain('nothing-deployed');
});
