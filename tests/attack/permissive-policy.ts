import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { POLICY_FOLDER } from '@signalbox/safety/policy/settings';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** A set of rules that permits everything to everybody. */
export function makePermissivePolicy(): string {
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
