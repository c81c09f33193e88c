import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../support/until.ts';
import type { Person } from '../../support/person.ts';
import { openGateStack, type GateStack } from './gate-stack.ts';

// Who asks for a gate is proved at GitHub, and which person here that is by a code that only the login can write there.
let bench: GateStack;
let people: GateStack['people'];
beforeAll(async () => {
  bench = await openGateStack();
  people = bench.people;
}, 60_000);
afterAll(() => bench.close());

const codeIn = (said: readonly string[]): string => /[0-9A-Z]{4}(?:-[0-9A-Z]{4}){2}/.exec(said.join('\n'))?.[0] ?? '';
const codeFor = async (person: Person, login: string): Promise<string> =>
  codeIn(await person.ask(`/link github ${login}`));
const listLinked = async (): Promise<readonly unknown[]> =>
  (await bench.stack.pool.query(`select name, person from users where channel = 'github' order by 1`)).rows;
const findApproval = async (repository: string) =>
  (
    await eventually(
      () =>
        bench.stack.pool.query<{ needed: number; authors: readonly string[] }>(
          `select needed, authors from approvals where card ->> 'what' like '%' || $1 || '%'`,
          [repository],
        ),
      ({ rows }) => rows.length > 0,
    )
  ).rows[0];

describe('a person who links a login of GitHub', { timeout: 60_000 }, () => {
  test('is believed when exactly that login writes the code in a new comment', async () => {
    const [cleo] = people;
    const said = await cleo.ask('/link github ada');
    const code = codeIn(said);
    const { github } = bench;
    // Somebody else copies the code, or is talked into writing it.
    expect(await github.comment('mallory', `my code is ${code}`)).toBe(200);
    expect(await listLinked()).toEqual([]);
    expect(await github.comment('Ada', `my code is ${code}`)).toBe(200);
    expect(await listLinked()).toEqual([{ name: 'Ada', person: '1003' }]);
    await cleo.waitFor(/is you now/);
    // The code was for one time.
    await cleo.ask('/link remove github-583001');
    expect(await listLinked()).toEqual([]);
    await github.comment('Ada', code);
    expect(await listLinked()).toEqual([]);
  });

  test('cannot take a login that belongs to somebody else here', async () => {
    const [cleo, dara] = people;
    const { github } = bench;
    await github.comment('eve', await codeFor(cleo, 'eve'));
    await cleo.waitFor(/eve at GitHub is you now/);
    await github.comment('eve', await codeFor(dara, 'eve'));
    await dara.waitFor(/belongs to another person/);
    expect(await listLinked()).toEqual([{ name: 'eve', person: '1003' }]);
  });

  test('needs no approver more for what they ask, and cannot approve it', async () => {
    const { github, settled } = bench;
    const [cleo, dara] = people;
    const run = await github.ask({ environment: 'staging', repository: 'acme/known', actor: 'eve' });
    expect(await findApproval('acme/known')).toMatchObject({ needed: 1, authors: expect.arrayContaining(['1003']) });
    const card = await dara.waitFor(/acme\/known/);
    expect(card).not.toMatch(/Nobody here|not known/);
    // Who asked gets no card of it.
    expect((await cleo.heard()).some(({ text }) => text.includes('acme/known'))).toBe(false);
    await dara.click('Approve');
    expect((await settled(run.id)).state).toBe('approved');
  });

  test('is not taken for the one who starts their run again', async () => {
    const { github } = bench;
    const run = await github.ask({ environment: 'staging', repository: 'acme/rerun', actor: 'eve' });
    await findApproval('acme/rerun');
    await github.again(run.id, 'stranger');
    const { rows } = await eventually(
      () =>
        bench.stack.pool.query<{ needed: number }>(
          `select needed from approvals where card ->> 'what' like '%acme/rerun%' order by requested_at`,
        ),
      (found) => found.rows.length === 2,
    );
    expect(rows.map(({ needed }) => needed)).toEqual([1, 2]);
  });

  test('reads on the card of a run that they started again that its starter is not certain', async () => {
    const { github } = bench;
    const [, dara] = people;
    const run = await github.ask({ environment: 'staging', repository: 'acme/mixed', actor: 'stranger' });
    await dara.waitFor(/acme\/mixed[^]*Nobody here is stranger at GitHub/);
    await github.again(run.id, 'eve');
    const card = (await dara.waitFor(new RegExp(`Run ${run.id}:2 of eve`))).replaceAll(/\n┊ /g, '');
    expect(card).not.toContain('Nobody here is');
    expect(card).toContain('who started it is not certain');
  });

  test('is told what to write', async () => {
    const [cleo] = people;
    expect((await cleo.ask('/link github')).join()).toContain('/link github <login>');
    expect((await cleo.ask('/link github a b')).join()).toMatch(/\/link github|code/);
  });
});
