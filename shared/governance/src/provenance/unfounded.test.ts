import { expect, it } from 'vitest';
import { isUnfounded, listEntityFacts } from './unfounded.ts';

const names = new Set(['demo']);
const facts = [
  ...listEntityFacts({ project: 'demo', environment: 'staging', release: '1.0-9d40008', kind: 'rollback' }),
  ...listEntityFacts({
    project: 'demo',
    environment: 'staging',
    health: { verdict: 'healthy', release: '1.1-eb4634f' },
  }),
];
const isDenied = (text: string): boolean => isUnfounded(text, { names, verbs: new Set(), facts });

it.each([
  'demo auf staging antwortet langsam (Release 1.1-eb4634f, seit einer Minute). Es liegt an 1.1 selbst.',
  'Um 14.32 Uhr ging demo auf staging von 1.1 auf 1.0 zurück. Es antwortet in 0.06 Sekunden statt in 1.35 Sekunden.',
  'demo en staging volvió de 1.1 a 1.0. Responde en 0.06 segundos.',
  'demo на стейджинге вернулся с 1.1 на 1.0 и отвечает за 0.06 секунды.',
  'demo 在预发环境已从 1.1 退回 1.0，响应时间 0.06 秒。',
])('a summary of what was done and measured is founded: %s', (text) => {
  expect(isDenied(text)).toBe(false);
});

it.each([
  'demo auf staging ist jetzt 1.2, seit 14.32 Uhr.',
  'demo läuft jetzt in production mit 1.0-9d40008, seit 0.06 Sekunden.',
  'demo на стейджинге обновлён до 1.2-abc1234, и это заняло 0.06 секунды.',
  'demo на проде обновлён до 1.0.',
  'demo 在预发环境已升级到 1.2。',
])('a summary with a version or a place that nothing supports is not: %s', (text) => {
  expect(isDenied(text)).toBe(true);
});
