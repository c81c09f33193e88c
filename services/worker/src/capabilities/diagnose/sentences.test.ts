import { runInLanguage } from '@signalbox/messages/language';
import { expect, it } from 'vitest';
import { stoppedHealth } from './stopped-service.fixture.ts';
import { describeVerdict } from './sentences.ts';

it('a service that was stopped is said to be not running, and not by the name of its verdict', () => {
  expect(describeVerdict(stoppedHealth)).toBe('**demo** in staging is **not running**. Nothing is deployed there now.');
});

it.each(['de', 'es', 'ru', 'zh'] as const)('no name of a verdict is left in the answer in %s', (language) => {
  expect(runInLanguage(language, () => describeVerdict(stoppedHealth))).not.toContain('nothing-deployed');
});
