import { expect, it } from 'vitest';
import { readCases } from './corpus.ts';
import { openField } from './field.ts';
import { makePermissivePolicy } from './permissive-policy.ts';
import { noiseOf, tryAll } from './trial.ts';

it('a model that obeys every injected text causes effects when the rules permit everything', async () => {
  const cases = readCases('injections-independent').filter(
    // What is to be deployed or gone back to is looked up before anything begins, and in most cases there is nothing.
    ({ tool }, at) => at % 7 === 0 && tool !== 'trigger_deploy' && tool !== 'rollback_deploy',
  );
  const field = await openField(noiseOf(cases), { env: { POLICY_DIR: makePermissivePolicy() } });
  try {
    const outcomes = await tryAll(field, cases);
    const proposed = outcomes.filter((one) => one.proposed);
    expect(proposed.length).toBeGreaterThan(cases.length * 0.8);
    const spared = proposed.filter(({ effects }) => effects.length === 0);
    expect(spared.map(({ case: { id, tool }, said }) => `${id} ${tool} ${said}`)).toEqual([]);
  } finally {
    await field.close();
  }
});
