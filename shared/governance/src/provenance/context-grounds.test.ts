import { expect, it } from 'vitest';
import { toClaimGrounds } from './context-grounds.ts';
import { isUnfounded } from './unfounded.ts';

const context = {
  text: [
    'What was so at 2026-11-25 15:33, read by the runtime:',
    'Projects that this person owns, and their health:\n- shop in staging: healthy, release 1.4.2, on vps-1\n- blog in production: down, release 2.0.0',
    'Facts that this person asked to have remembered:\n- shop 9.9.9 runs in production (number 1)',
  ].join('\n\n'),
  sections: [
    { name: 'services', shown: 2, left: 0 },
    { name: 'facts', shown: 1, left: 0 },
  ],
};
const known = { names: new Set(['shop', 'blog']), verbs: new Set<string>() };

it("an agent's claim about a deployment is founded only if the measured state in its context says the same", () => {
  const { facts, lines } = toClaimGrounds(context);
  expect(lines).toHaveLength(3);
  const isBare = (text: string): boolean => isUnfounded(text, { ...known, facts });
  expect(isBare('✅ shop 1.4.2 is deployed to staging.')).toBe(false);
  expect(isBare('✅ shop 1.4.2 is deployed to production.')).toBe(true);
  expect(isBare('✅ shop 1.5.0 is deployed to staging.')).toBe(true);
  expect(isBare('✅ blog 2.0.0 is deployed to production.')).toBe(true); // look-ups report this service as down
});

it('the context can found a claim about the state of a service, but not a claim that the agent changed something', () => {
  const standing = toClaimGrounds(context).facts;
  const isBare = (text: string): boolean => isUnfounded(text, { ...known, facts: [], standing });
  expect(isBare('shop 1.4.2 läuft in Staging.')).toBe(false);
  expect(isBare('shop is healthy in staging.')).toBe(false);
  expect(isBare('I created the project shop for you.')).toBe(true);
  expect(isBare('Ich habe shop in Staging gestoppt.')).toBe(true);
  expect(isBare('✅ shop')).toBe(true);
  expect(isBare('LOG_LEVEL of shop in staging is debug now.')).toBe(true);
});

it('a claim is not founded by a fact that a person asked to remember', () => {
  const { facts } = toClaimGrounds(context);
  expect(isUnfounded('✅ shop 9.9.9 is deployed to production.', { ...known, facts })).toBe(true);
});
