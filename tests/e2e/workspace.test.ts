import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locateTestSandbox } from '../support/bubblewrap.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const sandbox = await locateTestSandbox('workspaces in conversations');

/** The last thing that was said. */
const last = (said: readonly string[]): string => said.at(-1) ?? '';

describe.skipIf(sandbox === null)('in the workspace of a conversation', () => {
  let stack: Stack;
  let ada: Person;
  beforeAll(async () => {
    const home = join(makeTemporaryFolder('workspaces'), 'home');
    stack = await openStack({ jobs: true, env: { ...sandbox?.settings, WORKSPACE_DIR: home } });
    ada = await stack.person(1001, 'developer');
  });
  afterAll(() => stack.close());

  it('files are written, listed and read', async () => {
    expect(await ada.ask('list the files in the workspace').then(last)).toMatch(/The workspace is empty/);
    expect(await ada.ask('create a file notes.md with "buy milk"').then(last)).toMatch(
      /I created notes\.md \(8 bytes\)/,
    );
    expect(await ada.ask('list the files').then(last)).toMatch(/The workspace holds 1 entry[\s\S]*notes\.md/);
    expect(await ada.ask('show notes.md').then(last)).toMatch(/notes\.md:[\s\S]*buy milk/);
  });

  it('a command that only reads runs at once, in the sandbox', async () => {
    expect(await ada.ask('run uname -a').then(last)).toMatch(/uname -a finished \(exit 0\):[\s\S]*Linux sandbox/);
    expect(await ada.ask('run wc -c notes.md in the workspace').then(last)).toMatch(/8 notes\.md/);
  });

  it('a command that changes something of one’s own runs at once', async () => {
    await ada.ask('create a file draft.md with "x"');
    expect(await ada.ask('run rm draft.md').then(last)).toMatch(/rm draft\.md finished \(exit 0\) and wrote nothing/);
    expect(await ada.ask('list the files').then(last)).toMatch(/1 entry[\s\S]*notes\.md/);
  });

  it('a destructive command is refused without asking anybody to approve', async () => {
    expect(await ada.ask('run rm -rf /').then(last)).toMatch(/Nothing was changed/);
    const { rows } = await stack.pool.query<{ status: string; asked: string }>(
      `select a.status, (select count(*) from approvals p where p.action_id = a.action_id) as asked
         from actions a where a.arguments ->> 'command' = 'rm -rf /'`,
    );
    expect(rows).toEqual([{ status: 'denied', asked: '0' }]);
  });

  it('no file path leads out of the workspace', async () => {
    expect(await ada.ask('read the file ../../etc/passwd').then(last)).toMatch(/out of bounds: it leads out with \.\./);
    const { rows } = await stack.pool.query<{ n: string }>(
      `select count(*) as n from audit_events where kind = 'file.denied' and actor = '1001'`,
    );
    expect(Number(rows[0]?.n)).toBe(1);
  });
});
