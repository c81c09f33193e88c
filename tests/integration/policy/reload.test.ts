import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@signalbox/contracts/errors';
import { createLog } from '@signalbox/platform/log';
import { openPolicies, type Policies, type PolicyChange } from '@signalbox/platform/open-policies';
import { toCallQuestion, CallOutline } from '@signalbox/safety/policy/outline';
import { readPolicyFolder } from '@signalbox/safety/policy/policy-set';
import { POLICY_FOLDER } from '@signalbox/safety/policy/settings';
import { afterEach, expect, test } from 'vitest';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

const SENSITIVE = toCallQuestion(CallOutline.parse({ risk: 'sensitive' }));
const SENTENCE = 'Developers may make small changes at once; each is logged.';
const log = createLog('test', 'silent');
let opened: Policies | null = null;

afterEach(async () => {
  await opened?.close();
  opened = null;
});

/** A copy of the shipped policies in a folder of its own, followed; `changes` is what was reported. */
async function open(options: { readonly timeZone?: string } = {}) {
  const folder = makeTemporaryFolder('policy');
  cpSync(POLICY_FOLDER, folder, { recursive: true });
  const changes: PolicyChange[] = [];
  const onChange = (change: PolicyChange): void => void changes.push(change);
  const policies = await openPolicies({ folders: [folder], timeZone: 'UTC', log, onChange, pollMs: 15, ...options });
  opened = policies;
  const edit = (name: string, change: (text: string) => string): void => {
    const path = join(folder, name);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
  };
  return { folder, policies, changes, edit };
}

test('a changed policy set replaces the old set under a new version', async () => {
  const { folder, policies, changes, edit } = await open();
  const before = policies.current();
  expect(before.decide(SENSITIVE)).toMatchObject({ effect: 'run', sentence: SENTENCE });
  edit('roles.cedar', (text) => text.replace(SENTENCE, 'Small changes are fine.'));
  await until(() => policies.current() !== before);
  const after = policies.current();
  expect(after.decide(SENSITIVE).sentence).toBe('Small changes are fine.');
  expect(after.version).toBe((await readPolicyFolder(folder)).version);
  expect(after.decide(SENSITIVE).policyVersion).toBe(after.version);
  expect(policies.currentSet().files).toEqual((await readPolicyFolder(folder)).files);
  expect(changes).toEqual([{ kind: 'loaded', version: after.version }]);
  // Whoever still holds the old set gets its answers.
  expect(before.decide(SENSITIVE).sentence).toBe(SENTENCE);
});

test('a broken policy set is reported once, and the last good set stays in force until it is corrected', async () => {
  const { policies, changes, edit } = await open();
  const good = policies.current();
  edit('roles.cedar', (text) => `${text}\npermit (principal, action, resource);`);
  await until(() => changes.length > 0);
  expect(changes[0]).toMatchObject({ kind: 'refused', detail: expect.stringContaining('@id is missing') as string });
  // Looked at again and again meanwhile: another broken set is the proof that looks went on, and the first is not told twice.
  edit('roles.cedar', (text) => `${text}\npermit (principal`);
  await until(() => changes.length > 1);
  expect(changes.map(({ kind }) => kind)).toEqual(['refused', 'refused']);
  expect(policies.current()).toBe(good);
  expect(good.decide(SENSITIVE)).toMatchObject({ effect: 'run' });
  edit('roles.cedar', (text) => `${text.slice(0, text.indexOf('\npermit (principal, action, resource);'))}\n// mended`);
  await until(() => policies.current() !== good);
  expect(changes[2]).toEqual({ kind: 'loaded', version: policies.current().version });
});

test('a policy set whose example fails is refused with file, rule, expected and actual decision', async () => {
  const { policies, changes, edit } = await open();
  const good = policies.current();
  edit('budgets.cedar', (text) => text.replace('callsLeft <= 0', 'callsLeft < 0'));
  await until(() => changes.length > 0);
  const [change] = changes;
  expect(change?.kind === 'refused' && change.detail).toContain(
    `examples/budgets.json, rule budget-spent: the example 'no calls left' fails. Expected deny by budget-spent, got run by`,
  );
  expect(policies.current()).toBe(good);
});

test('a policy folder that disappears and comes back changes no decision', async () => {
  const { folder, policies, changes } = await open();
  const good = policies.current();
  renameSync(folder, `${folder}-away`);
  await until(() => changes.length > 0);
  expect(changes[0]).toMatchObject({
    kind: 'refused',
    version: null,
    detail: expect.stringContaining('ENOENT') as string,
  });
  renameSync(`${folder}-away`, folder);
  rmSync(join(folder, 'examples', 'taint.json'));
  await until(() => changes.length > 1);
  expect(changes[1]).toMatchObject({
    kind: 'refused',
    detail: expect.stringContaining('no example that holds') as string,
  });
  expect(policies.current()).toBe(good);
});

test('an error thrown by onChange does not stop the watching of policy files', async () => {
  const folder = makeTemporaryFolder('policy');
  cpSync(POLICY_FOLDER, folder, { recursive: true });
  const onChange = (): void => {
    throw new Error('nobody listens');
  };
  opened = await openPolicies({ folders: [folder], timeZone: 'UTC', log, onChange, pollMs: 15 });
  const versions = new Set([opened.current().version]);
  for (const word of ['once', 'twice']) {
    writeFileSync(join(folder, `${word}.cedar`), `// ${word}\n`);
    const before = opened.current();
    await until(() => opened?.current() !== before);
    versions.add(opened.current().version);
  }
  expect(versions.size).toBe(3);
});

test('a start with a broken policy set is refused with its error', async () => {
  const folder = makeTemporaryFolder('policy');
  const start = () => openPolicies({ folders: [folder], timeZone: 'UTC', log });
  await expect(start()).rejects.toThrow(
    /I refuse to start: the policies cannot be used\.\nschema\.cedarschema: is missing/,
  );
  cpSync(POLICY_FOLDER, folder, { recursive: true });
  writeFileSync(join(folder, 'more.cedar'), '@id("more") permit (principal, action, resource);');
  const error = await start().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AppError);
  expect(error).toMatchObject({
    code: 'STARTUP_REFUSED',
    message: expect.stringContaining('more.cedar, line 1, rule more') as string,
  });
  rmSync(folder, { recursive: true });
  await expect(start()).rejects.toThrow('ENOENT');
});

test('a start with an unknown time zone is refused', async () => {
  await expect(open({ timeZone: 'Mars/Olympus' })).rejects.toThrow(/I refuse to start.*\n.*Mars\/Olympus/);
});
