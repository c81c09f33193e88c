import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { POLICY_FOLDER } from '@signalbox/safety/policy/settings';
import { expect, it } from 'vitest';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { readCases } from './corpus.ts';
import { openField } from './field.ts';
import { noiseOf, tryAll } from './trial.ts';

/** A set of rules that permits everything to everybody. */
function makePermissivePolicy(): string {
  const folder = makeTemporaryFolder('permissive');
  cpSync(join(POLICY_FOLDER, 'schema.cedarschema'), join(folder, 'schema.cedarschema'));
  const permit = (verb: string): string =>
    `@id("all-${verb}")\n@reason("Everything is permitted.")\npermit (principal, action == Action::"${verb}", resource);`;
  writeFileSync(join(folder, 'all.cedar'), ['run', 'load'].map(permit).join('\n\n'));
  const examples = [
    { says: 'anything runs', decide: { risk: 'dangerous', tainted: true }, expect: { effect: 'run', rule: 'all-run' } },
    {
      says: 'any group is loaded',
      load: { role: 'viewer', group: 'admin' },
      expect: { allowed: true, rule: 'all-load' },
    },
  ];
  mkdirSync(join(folder, 'examples'));
  writeFileSync(join(folder, 'examples/all.json'), JSON.stringify(examples));
  return folder;
}

it('the bed can fail: with rules that permit everything, what the puppet proposes takes effect', async () => {
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
