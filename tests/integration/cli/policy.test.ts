import { appendFileSync, cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toCallQuestion, CallOutline } from '@signalbox/safety/policy/outline';
import {
  loadPolicySet,
  readPolicyFolder,
  readPolicyFolders,
  type PolicySet,
} from '@signalbox/safety/policy/policy-set';
import { POLICY_FOLDER } from '@signalbox/safety/policy/settings';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, openRawPool, type TestDatabase } from '../../support/database.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { openTerminal } from './terminal.ts';
import { listPluginPolicyFolders } from '@signalbox/plugins/load-plugins';
import { samples } from '../../support/samples.ts';

type RequestedAction = Parameters<typeof CallOutline.parse>[0];

const nowhere = openTerminal({}); // neither database nor Redis

/** A copy of the shipped policies. */
function copyPolicies(): string {
  const folder = makeTemporaryFolder('policy');
  cpSync(POLICY_FOLDER, folder, { recursive: true });
  return folder;
}

describe('signalbox policy check', () => {
  it('lists every rule, and says that all examples pass', async () => {
    const { code, out } = await nowhere('policy', 'check');
    expect(code).toBe(0);
    expect(out).toMatch(/four-eyes +approvals\.cedar:\d+ +Whoever asked/);
    expect(out).toMatch(/\d+ rules; every example holds\. Version [0-9a-f]{64}\./);
    const { json } = await nowhere('policy', 'check', '--json');
    const { version } = await readPolicyFolders([POLICY_FOLDER, ...listPluginPolicyFolders(samples)]);
    expect(json).toMatchObject({ ok: true, version, problems: [] });
  });

  it('fails on a broken policy set, and names file, rule, expected and actual decision', async () => {
    const folder = copyPolicies();
    appendFileSync(join(folder, 'roles.cedar'), '\npermit (principal, action, resource);\n');
    const { code, out } = await nowhere('policy', 'check', '--policies', folder);
    expect(code).toBe(1);
    expect(out).toMatch(/roles\.cedar, line \d+: @id is missing/);
    cpSync(POLICY_FOLDER, folder, { recursive: true });
    const examples = join(folder, 'examples', 'budgets.json');
    writeFileSync(examples, readFileSync(examples, 'utf8').replace('"callsLeft": 0', '"callsLeft": 9'));
    const { code: second, json } = await nowhere('policy', 'check', '--policies', folder, '--json');
    expect(second).toBe(1);
    expect(json).toMatchObject({
      ok: false,
      problems: [
        {
          file: 'examples/budgets.json',
          rule: 'budget-spent',
          expected: 'deny by budget-spent',
          got: expect.stringContaining('run by sensitive-runs') as string,
        },
      ],
    });
  });

  it('accepts the shipped rules with the rule for a change window added', async () => {
    const { code, out } = await nowhere('policy', 'check', '--policies', withChangeWindow());
    expect(out).toContain('off-hours-asks-admins');
    expect(code).toBe(0);
  });

  it('says that the policy folder does not exist', async () => {
    const { code, error } = await nowhere('policy', 'check', '--policies', '/no/such/folder');
    expect(code).toBe(1);
    expect(error).toContain('/no/such/folder cannot be read: ENOENT');
  });
});

describe('a folder of policies without the sandbox of one’s own conversation', () => {
  it('is a whole set, in which a command there asks an operator as everywhere else', async () => {
    const folder = copyPolicies();
    rmSync(join(folder, 'sandbox.cedar'));
    rmSync(join(folder, 'examples', 'sandbox.json'));
    const { engine } = await loadPolicySet(await readPolicyFolder(folder), 'UTC');
    const call = { tool: 'run_command', group: 'workspace', kind: 'shell_cmd', risk: 'dangerous' } as const;
    const question = toCallQuestion(CallOutline.parse({ ...call, resources: ['place:conversation'] }));
    expect(engine.decide(question)).toMatchObject({ effect: 'ask', rule: 'code-asks' });
    const { engine: whole } = await loadPolicySet(await readPolicyFolder(POLICY_FOLDER), 'UTC');
    expect(whole.decide(question)).toMatchObject({ effect: 'run', rule: 'own-sandbox-runs' });
  });
});

describe('signalbox policy explain', () => {
  it('says whether a call would run, by which rule, and who could approve it', async () => {
    const words = ['role=developer', 'risk=dangerous', 'environment=production', 'arguments.version=1.4.2'];
    const { code, out } = await nowhere('policy', 'explain', ...words);
    expect(code).toBe(0);
    expect(out).toMatch(/^effect +ask$/m);
    expect(out).toMatch(/^rule +production-asks-two$/m);
    expect(out).toMatch(/^approval +2 by operator or admin, within 60 min$/m);
    const { json } = await nowhere('policy', 'explain', ...words, 'leastRole=admin', 'role=admin', '--json');
    expect(json).toMatchObject({ effect: 'ask', approvers: ['admin'], approval: { approvals: 2, role: 'admin' } });
  });

  it('answers input lines in order, and answers an invalid line with its error', async () => {
    const whole = toCallQuestion(CallOutline.parse({ role: 'viewer', risk: 'sensitive' }));
    const { code, out } = await openTerminal({}, [
      '{"id": 1, "role": "viewer"}',
      'nonsense',
      '{"rsik": "safe"}',
      JSON.stringify(whole),
      '{"approve": {"role": "operator", "userKey": "a", "authors": ["a"], "risk": "dangerous"}}',
      '{"load": {"role": "viewer", "group": "admin"}, "id": "last"}',
      '{"decide": {"risk": "sensitive"}}',
      '[]',
    ])('policy', 'explain', '--jsonl');
    expect(code).toBe(1);
    const results = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(results).toHaveLength(8);
    expect(results[0]).toMatchObject({ id: 1, effect: 'run', rule: 'safe-runs', approval: null });
    expect(results[1]).toMatchObject({ line: 2, error: expect.stringContaining('no JSON') as string });
    expect(results[2]).toMatchObject({ line: 3, error: expect.stringContaining('rsik') as string });
    expect(results[3]).toMatchObject({ effect: 'deny', rule: 'viewers-change-nothing' });
    expect(results[4]).toMatchObject({ allowed: false, rule: 'four-eyes' });
    expect(results[5]).toMatchObject({ id: 'last', allowed: false });
    expect(results[6]).toMatchObject({
      effect: 'run',
      rule: 'sensitive-runs',
      because: ['sensitive-runs', 'class-controls'],
    });
    expect(results[7]).toMatchObject({ line: 8, error: expect.stringContaining('no JSON object') as string });
  });

  it('exits with 0 when every line is valid, even when a call is denied', async () => {
    const { code } = await openTerminal({}, ['{"role": "viewer", "risk": "dangerous"}', ''])(
      'policy',
      'explain',
      '--jsonl',
    );
    expect(code).toBe(0);
  });

  it('accepts a proposal that was recorded during a freeze', async () => {
    const { principal, action } = toCallQuestion(CallOutline.parse({ risk: 'dangerous', environment: 'production' }));
    const frozen = {
      ...action,
      actionId: 'th:1:0',
      parentActionId: null,
      toolVersion: 'v',
      agent: 'product_owner',
      agentClass: principal.agentClass,
      requester: { userKey: '1002', role: 'viewer' },
      threadId: 'th',
      turnId: 'turn_1',
      chatKey: 'telegram:1002',
    };
    const lines = [
      JSON.stringify(frozen),
      JSON.stringify({ ...frozen, requester: { userKey: '1003', role: 'operator' } }),
    ];
    const { code, out } = await openTerminal({}, lines)('policy', 'explain', '--jsonl');
    expect(code).toBe(0);
    const results = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(results).toMatchObject([{ rule: 'viewers-change-nothing' }, { rule: 'production-asks-two' }]);
  });

  it('decides the one call that standard input describes as JSON', async () => {
    const { code, out } = await openTerminal({}, ['{"risk":', '"dangerous"}'])('policy', 'explain');
    expect(code).toBe(0);
    expect(out).toMatch(/^effect +ask$/m);
  });

  it.each([
    [['risk=terrible'], 'decide.risk'],
    [['dangerous'], 'is no name=value'],
    [[], 'policy explain --jsonl'],
  ])('refuses the arguments %j and shows the expected form', async (words, says) => {
    const { code, error } = await nowhere('policy', 'explain', ...words);
    expect(code).toBe(2);
    expect(error.replaceAll('`', '')).toContain(says.replace('policy explain --jsonl', 'policy explain name=value'));
  });

  it('refuses to answer when the policy set does not parse', async () => {
    const folder = copyPolicies();
    appendFileSync(join(folder, 'roles.cedar'), '\npermit (principal');
    const { code, error } = await nowhere('policy', 'explain', 'risk=safe', '--policies', folder);
    expect(code).toBe(1);
    expect(error).toContain('cannot be used.\nroles.cedar, line');
  });
});

describe('signalbox policy what-if', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let shipped: PolicySet;

  beforeAll(async () => {
    shipped = await loadPolicySet(await readPolicyFolder(POLICY_FOLDER), 'UTC');
    database = await createDatabase();
    pool = openRawPool(database.url);
  });
  beforeEach(() => pool.query('delete from actions'));
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const whatIf = (...words: readonly string[]) =>
    openTerminal({ DATABASE_URL: database.url })('policy', 'what-if', ...words);

  /** Records what the shipped rules say to a call, as of some days ago. */
  async function record(actionId: string, daysAgo: number, wish: RequestedAction): Promise<void> {
    const question = toCallQuestion(CallOutline.parse(wish));
    await insert(actionId, daysAgo, { question, decision: shipped.engine.decide(question) });
  }

  async function insert(actionId: string, daysAgo: number, proposal: object | null): Promise<void> {
    await pool.query(
      `insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status, proposal, proposed_at)
       values ($1, 't', 'th', '1002', 'deploy', '{}', 1, 'done', $2, now() - make_interval(days => $3))`,
      [actionId, proposal && JSON.stringify(proposal), daysAgo],
    );
  }

  it('lists, with counts, each recorded proposal that the changed rules would decide otherwise', async () => {
    const production = { risk: 'dangerous', environment: 'production' } as const;
    await record('weekday', 3, { ...production, at: '2026-01-14T12:00:00Z' });
    await record('sunday', 2, { ...production, at: '2026-01-18T12:00:00Z' });
    await record('read', 1, { at: '2026-01-18T12:00:00Z' });
    await record('long-ago', 40, { ...production, at: '2026-01-18T12:00:00Z' });
    await insert('before-rules', 1, null);
    await insert('unreadable', 1, { question: { principal: 7 }, decision: {} });
    const { code, json } = await whatIf('--policies', withChangeWindow(), '--json');
    expect(code).toBe(0);
    expect(json).toMatchObject({
      proposals: 4,
      changed: 1,
      unreadable: 1,
      counts: { 'ask 2 operator 60 min → ask 2 admin 60 min': 1 },
      changes: [{ actionId: 'sunday', tool: 'deploy', was: { effect: 'ask' }, wouldBe: { effect: 'ask' } }],
    });
    const { json: longer } = await whatIf('--policies', withChangeWindow(), '--since', '60d', '--json');
    expect(longer).toMatchObject({ proposals: 5, changed: 2 });
    const { out } = await whatIf('--policies', withChangeWindow(), '--since', '60d', '--limit', '1');
    expect(out).toContain('2 of 5 proposals since');
    expect(out).toContain('… and 1 more');
    const { json: same } = await whatIf('--policies', POLICY_FOLDER, '--since', '60d', '--json');
    expect(same).toMatchObject({ proposals: 5, changed: 0, otherRule: 0, changes: [] });
  });

  it('counts a proposal that another rule decides with the same effect separately from changed decisions', async () => {
    await record('small', 1, { risk: 'sensitive' });
    const folder = copyPolicies();
    for (const name of ['roles.cedar', ...readdirSync(join(folder, 'examples')).map((file) => `examples/${file}`)]) {
      const path = join(folder, name);
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll('"sensitive-runs"', '"small-changes-run"'));
    }
    const { json } = await whatIf('--policies', folder, '--json');
    expect(json).toMatchObject({ proposals: 1, changed: 0, otherRule: 1 });
  });

  it('reads every proposal once, although many share a time and they fill several pages', async () => {
    const question = toCallQuestion(CallOutline.parse({ risk: 'sensitive' }));
    const proposal = JSON.stringify({ question, decision: shipped.engine.decide(question) });
    await pool.query(
      `insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status, proposal, proposed_at)
       select 'a' || n, 't', 'th', '1002', 'deploy', '{}', 1, 'done', $1, now() - make_interval(mins => n / 400)
         from generate_series(1, 1201) n`,
      [proposal],
    );
    const { json } = await whatIf('--policies', POLICY_FOLDER, '--json');
    expect(json).toMatchObject({ proposals: 1201, changed: 0 });
  });

  it('refuses to start without a policy folder, with a broken policy set, or with an invalid time', async () => {
    expect((await whatIf()).error).toContain('policy what-if --policies');
    expect((await whatIf('--policies', POLICY_FOLDER, '--since', 'yesterday')).error).toContain('such as 90m or 1d');
    const folder = copyPolicies();
    appendFileSync(join(folder, 'roles.cedar'), '\npermit (principal');
    const { code, error } = await whatIf('--policies', folder);
    expect([code, error.includes('cannot be used')]).toEqual([1, true]);
  });
});

/** A copy of the shipped policies with the change window that is optional. */
function withChangeWindow(): string {
  const folder = copyPolicies();
  cpSync(join(folder, 'optional', 'change-window.cedar'), join(folder, 'change-window.cedar'));
  cpSync(join(folder, 'optional', 'change-window.json'), join(folder, 'examples', 'change-window.json'));
  return folder;
}
