import { runInLanguage } from '@signalbox/messages/language';
import { expect, it } from 'vitest';
import { stoppedHealth } from './stopped-service.fixture.ts';
import { describeVerdict } from './sentences.ts';

it('a stopped service is described as “not running”, without the internal name of the verdict', () => {
  expect(describeVerdict(stoppedHealth)).toBe('**demo** in staging is **not running**. Nothing is deployed there now.');
});

it.each(['de', 'es', 'ru', 'zh'] as const)(
  'the translated diagnosis in %s contains no internal name of a verdict',
  (language) => {
    expect(runInLanguage(language, () => describeVerdict(stoppedHealth))).not.toContain('nothing-deployed');
  },
);
