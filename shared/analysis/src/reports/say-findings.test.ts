import { expect, it } from 'vitest';
import { sayRunSummary } from './say-findings.ts';

const COMMIT = 'a'.repeat(40);

it('the summary of an analysis that found nothing new says “0 new” before the fixed findings', () => {
  const counts = { opened: 0, reopened: 0, fixed: 3, open: 1 };
  const said = sayRunSummary({ project: 'shop', chain: 'tech_debt', commit: COMMIT, counts, isFirst: false });
  expect(said).toContain(': 0 new · 3 fixed since the last run. One finding is open.');
});
