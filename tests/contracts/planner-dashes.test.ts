import { PriorContext, explainMessage } from '@signalbox/planner/explanation';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';
import { describe, expect, it } from 'vitest';

const { catalog } = createRegistry(await loadCapabilities());
const said = (text: string, project: readonly string[]) =>
  explainMessage(catalog, text, PriorContext.parse({ names: { project: [...project], server: ['local'] } }));

describe.each(['–', '‐', '‑', '‒', '—', '−', '﹣', '－'])('a name that a phone typed with the dash %s', (dash) => {
  it.each([
    `create project dash${dash}x for tests`,
    `create a project called dash${dash}x for tests`,
    `new project dash${dash}x`,
  ])('is never mistaken for the name that ends before the dash: %s', (text) => {
    const { calls } = said(text, []);
    expect(calls.map(({ arguments: args }) => args['name'])).not.toContain('dash');
  });
});

it.each(['–', '‐', '−'])(
  'a name that a phone typed with the dash %s finds exactly the item of that name, or nothing',
  (dash) => {
    for (const known of [['shop', 'shop-2'], ['shop']])
      for (const text of [`deploy shop${dash}2 1.0 to staging`, `stop shop${dash}2 in staging`]) {
        const { calls, question } = said(text, known);
        const args = calls[0]?.arguments ?? question?.args ?? {};
        expect([undefined, 'shop-2']).toContain(args['project']);
      }
  },
);
