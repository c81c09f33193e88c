import { runCommandLine } from '@signalbox/cli/command-line';
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { freePort } from '../support/free-port.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';
import { get, OTHER_SECRET, post, SECRET, tell, type Program } from './program.ts';
import { writeSources } from './sources-file.ts';

// A pipeline asks by the program that its maintainers copy, and people in Telegram decide.
let stack: Stack;
let ci: Program;
let own: Program;
let people: readonly [Person, Person, Person];

beforeAll(async () => {
  const port = await freePort();
  const file = writeSources([
    { name: 'ci', secret: SECRET, serviceAccount: { name: 'CI', role: 'developer' } },
    { name: 'own', secret: OTHER_SECRET, actsFor: '1002' },
  ]);
  stack = await openStack({
    env: { GATEWAY_CHANNELS: 'telegram,ingress', GATEWAY_HTTP_PORT: String(port), INGRESS_SOURCES_FILE: file },
  });
  const url = `http://127.0.0.1:${port}`;
  ci = { url, source: 'ci', secret: SECRET };
  own = { url, source: 'own', secret: OTHER_SECRET };
  people = [
    await stack.person(1003, 'operator'),
    await stack.person(1004, 'operator'),
    await stack.person(1005, 'operator'),
  ];
  for (const person of [...people, await stack.person(1002, 'developer')]) await person.ask('/whoami');
}, 60_000);
afterAll(() => stack.close());

const COMMIT = '3f2a9c1d'.repeat(5);
let runs = 0;
const gateOf = (environment: string, more: object = {}) => ({
  repository: 'acme/shop',
  environment,
  ref: 'main',
  commit: COMMIT,
  run: `${++runs}:1`,
  actor: 'mallory',
  ...more,
});

/** Runs the program of docs/gates.md as a GitHub job does. Resolves with its exit code and what it printed. */
function runGate(
  program: Program,
  gate: ReturnType<typeof gateOf>,
): Promise<{ readonly code: number | null; readonly said: string }> {
  const child = spawn(process.execPath, ['infra/gate/gate.mjs'], {
    env: {
      PATH: loadTestConfig().path,
      SIGNALBOX_URL: program.url,
      SIGNALBOX_SOURCE: program.source,
      SIGNALBOX_SECRET: program.secret,
      GITHUB_REPOSITORY: gate.repository,
      GATE_ENVIRONMENT: gate.environment,
      GITHUB_REF_NAME: gate.ref,
      GITHUB_SHA: gate.commit,
      GATE_RUN: gate.run,
      GITHUB_TRIGGERING_ACTOR: gate.actor,
      GATE_MINUTES: '1',
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, said })));
}

const stateOf = async (program: Program, id: string): Promise<unknown> =>
  ((await (await get(program, id)).json()) as { gate?: unknown }).gate;

describe('a pipeline that asks to deploy', { timeout: 90_000 }, () => {
  test('goes on once enough people have approved, and each card names what would be deployed', async () => {
    const gate = gateOf('staging');
    const [cleo, dara, eli] = people;
    await eli.ask('/language de');
    const running = runGate(ci, gate);
    const card = await cleo.waitFor(/acme\/shop/);
    expect(card.replaceAll(/\s*┊ /g, '')).toContain(`commit: ${COMMIT}`);
    expect(card).toContain('staging');
    expect(card).toContain(gate.run);
    expect(card).toMatch(/says that mallory started it, and nothing proves that/);
    expect(await eli.waitFor(/acme\/shop darf nach staging/)).toContain('Dass mallory den Lauf gestartet');
    await cleo.click('Approve');
    await dara.waitFor(/1 of 2/);
    await dara.click('Approve');
    const { code, said } = await running;
    expect(said).toContain('gate: approved');
    expect(code).toBe(0);
    const { rows } = await stack.pool.query<{ kind: string }>(
      `select kind from audit_events where action_id = (select action_id from actions where tool = 'pass_gate') order by event_id`,
    );
    expect(rows.map(({ kind }) => kind)).toEqual([
      'action.proposed',
      'approval.requested',
      'approval.voted',
      'approval.voted',
      'approval.approved',
      'approval.consumed',
      'action.started',
      'action.settled',
    ]);
  });

  test('stops when one person rejects it', async () => {
    const gate = gateOf('staging');
    const running = runGate(ci, gate);
    const [cleo] = people;
    await cleo.waitFor(new RegExp(gate.run));
    await cleo.click('Reject');
    await cleo.waitFor(/why do you reject/);
    await cleo.send('not today');
    const { code, said } = await running;
    expect(said).toContain('gate: refused');
    expect(code).toBe(1);
  });

  test.each([
    ['production', 3],
    ['produktion-süd'.replace('ü', 'ue'), 3],
    ['staging', 2],
  ])(
    'of a service account needs for %s %i approvals, because nobody proves who started it',
    async (environment, needed) => {
      const id = await tell(ci, { gate: gateOf(environment) });
      const row = await eventually(
        async () =>
          (
            await stack.pool.query<{ needed: number }>(
              `select needed from approvals where trace_id = (select trace_id from inbox where update_id = $1)`,
              [id],
            )
          ).rows[0],
        (found) => found !== undefined,
      );
      expect(row?.needed).toBe(needed);
      expect(await stateOf(ci, id)).toBe('waiting');
    },
  );

  test('as the program of a person needs one approval less, and that person cannot approve it', async () => {
    const id = await tell(own, { gate: gateOf('production') });
    const [row] = await eventually(
      async () =>
        (
          await stack.pool.query<{ needed: number; authors: readonly string[] }>(
            `select needed, authors from approvals where trace_id = (select trace_id from inbox where update_id = $1)`,
            [id],
          )
        ).rows,
      ({ length }) => length === 1,
    );
    expect(row).toMatchObject({ needed: 2, authors: ['1002'] });
  });

  test('asks once, however often its request is repeated, and another program learns nothing of it', async () => {
    const gate = gateOf('staging');
    const ids = [await tell(ci, { gate }, 'same'), await tell(ci, { gate }, 'same')];
    expect(new Set(ids).size).toBe(1);
    const [id = ''] = ids;
    await eventually(
      async () => stateOf(ci, id),
      (state) => state === 'waiting',
    );
    const { rows } = await stack.pool.query(
      `select 1 from approvals where trace_id = (select trace_id from inbox where update_id = $1)`,
      [id],
    );
    expect(rows.length).toBeLessThanOrEqual(1);
    expect((await get(own, id)).status).toBe(404);
    const other = { ...gate, commit: '0'.repeat(40) };
    expect((await post(ci, { gate: other }, { key: 'same' })).status).toBe(409);
  });

  test.each([
    ['an unknown field', { sudo: 'yes' }],
    ['a short commit', { commit: '3f2a9c1' }],
    ['a ref with a blank', { ref: 'main; approve' }],
    ['a repository with a line', { repository: 'acme/shop\nApproved' }],
    ['an actor of two words', { actor: 'the admin' }],
    ['a run without a name', { run: '' }],
  ])('is refused with %s, and nobody is asked', async (_, more) => {
    const response = await post(ci, { gate: gateOf('staging', more) });
    expect(response.status).toBe(400);
  });

  test('may run the same program as the command `signalbox gate`', async () => {
    const gate = gateOf('staging');
    const settings = {
      SIGNALBOX_URL: ci.url,
      SIGNALBOX_SOURCE: ci.source,
      SIGNALBOX_SECRET: ci.secret,
      GATE_REPOSITORY: gate.repository,
      GATE_ENVIRONMENT: gate.environment,
      GATE_REF: gate.ref,
      GATE_COMMIT: gate.commit,
      GATE_RUN: gate.run,
      GATE_ACTOR: gate.actor,
      GATE_MINUTES: '1',
    };
    let said = '';
    const streams = { out: (text: string) => void (said += text), error: (text: string) => void (said += text) };
    const running = runCommandLine(['gate'], streams, settings);
    const [cleo] = people;
    await cleo.waitFor(new RegExp(gate.run));
    await cleo.click('Reject');
    await cleo.waitFor(/why do you reject/);
    await cleo.send('not now');
    expect(await running).toBe(1);
    expect(said).toContain('gate: refused');
    expect(await runCommandLine(['gate'], streams, {})).toBe(1);
    expect(said).toContain('SIGNALBOX_URL is not set');
  });

  test('is told which variable is missing, and does not count as approved', async () => {
    const { code, said } = await runGate(ci, gateOf(''));
    expect(said).toContain('GATE_ENVIRONMENT is not set');
    expect(code).toBe(2);
  });
});
