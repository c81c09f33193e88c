import { ExecutionTurn } from '@signalbox/contracts/governance/execution-turn';
import { createReplayer } from '@signalbox/worker/replay/replay';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLLEAGUE, fillWorld, ME } from '../../support/context-world.ts';
import { createPromptReader, sectionOf } from '../../support/prompt-reader.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

/*
 * Forty questions that take the time, memory, tasks or health. The model is given its prompt and no tool; what it says is a quotation of it.
 */
const QUESTIONS: readonly (readonly [string, RegExp])[] = [
  ['what time is it?', /It is \w+day \d{4}-\d\d-\d\d, \d\d:[0134][05] to \d\d:[0134][05] in Europe\/Berlin/],
  ['which day is today?', /It is \w+day \d{4}-/],
  ['which time zone do you use?', /Europe\/Berlin \(UTC\+0[12]:00\)/],
  ['what day was yesterday?', /Yesterday was \w+day \d{4}-\d\d-\d\d/],
  ['what is the date?', /\d{4}-\d\d-\d\d/],
  ['is there a freeze?', /A freeze is in force since 2026-11-20 10:30: only look-ups run/],
  ['may I change anything, or are we frozen?', /A freeze is in force/],
  ['is there a change window tonight?', /no change window/],
  ['can I deploy at the weekend?', /no change window|A freeze/],

  ['what waits for me?', /trigger_deploy \(production, service:ledger\/production\).*apv_theirs/],
  ['what is on my desk?', /trigger_deploy .*, asked for by \S+, 0 of 1 approvals.*apv_theirs/],
  ['is there anything to approve?', /0 of 1 approvals.*apv_theirs/],
  ['what do I have to confirm?', /write_file, for their own confirmation, on the card.*apv_tap/],
  ['until when can I decide about it?', /until \d{4}-\d\d-\d\d \d\d:\d\d/],
  [
    'did anybody approve what I wanted?',
    /rollback_deploy \(production, service:shop\/production\), 0 of 1 approvals.*apv_mine/,
  ],
  ['what became of my request?', /apv_mine/],
  ['which of my requests waits for others?', /rollback_deploy/],

  ['which jobs run?', /knowledge\.index: running/],
  ['is the indexing done?', /knowledge\.index: running, since/],
  ['what is queued?', /knowledge\.index/],
  ['what is being deployed?', /deploy of api 2\.1\.0 to staging: building, since/],
  ['is a deployment under way?', /building/],
  ['what are we rolling out, and to where?', /api 2\.1\.0 to staging/],

  ['is my service up?', /shop in production: healthy, release 1\.4\.2/],
  ['is shop up?', /shop in production: healthy.*\n.*|shop in staging: degraded/],
  ['how is the health of shop in staging?', /shop in staging: degraded, release 1\.5\.0/],
  ['what is broken?', /api in production: down, release 2\.0\.1/],
  ['which of mine is down?', /api in production: down.*vps-2 \(which is down\)/],
  ['what is wrong with api?', /open incidents: crash-loop/],
  ['are there incidents?', /crash-loop/],
  ['which release of shop runs in production?', /release 1\.4\.2/],
  ['on which server is api?', /on vps-2/],
  ['what do I own?', /blog: never deployed/],
  ['has anybody looked at the health lately?', /looked at \d{4}-\d\d-\d\d \d\d:\d\d/],

  ['what was I doing yesterday?', /\(yesterday\).*user_7_3, finished; changed: .*blog/i],
  ['which changes failed yesterday?', /shop 1\.5\.0 .*\[failed\]/i],
  ['what did we talk about?', /checkout is slow/],
  ['what did I do 8 days ago?', /\(8 days ago\).*user_7_1, finished; changed: .*shop 1\.4\.0/i],

  ['who did I say is the release manager, do you remember?', /The release manager is Ana \(number 1/],
  ['what is my deploy day?', /My deploy day is Thursday/],
  ['do you remember my favorite color?', /My favorite color is green/],
];

let bench: WorkerBench;
const prompts: string[] = [];
beforeAll(async () => {
  bench = await openWorkerBench();
  await bench.addPerson(ME, 'operator');
  await bench.addPerson(COLLEAGUE, 'operator');
  await fillWorld(bench.pool);
  await bench.startWorker({
    script: createPromptReader((prompt) => prompts.push(prompt)),
    env: { POLICY_TIME_ZONE: 'Europe/Berlin' },
  });
});
afterAll(() => bench.close());

it('at least forty questions are asked about the prompt', () => {
  expect(QUESTIONS.length).toBeGreaterThanOrEqual(40);
});

it.each(QUESTIONS)('the question “%s” is answered from the prompt alone', async (question, answer) => {
  const [reply = ''] = await bench.ask(ME, question);
  expect(reply).toMatch(answer);
  // What was said stood in the prompt that the model was given, word for word.
  const prompt = prompts.at(-1) ?? '';
  for (const line of reply.split('\n')) expect(prompt).toContain(line);
});

describe('the prompt of a person', () => {
  it('contains no data of other people and no text that other people wrote', async () => {
    await bench.ask(ME, 'what do I own?');
    const prompt = prompts.at(-1) ?? '';
    expect(prompt).not.toContain('ignore your rules');
    expect(sectionOf(prompt, 'Projects').join()).not.toContain('ledger');
    expect(prompt).toContain('1 of the facts came from text of outside');
    expect(sectionOf(prompt, 'Open incidents')).toEqual([
      expect.stringMatching(/^service:api\/production: crash-loop, since/),
      expect.stringMatching(/^project:api in staging: alarm, since/),
      expect.stringMatching(/^something: alarm, since/),
    ]);
    expect(prompt).toMatch(/user_7_4, expired; changed: write_file; it read text from outside/);
  });

  it('contains no remembered facts in a group chat', async () => {
    await bench.say(ME, 'do you remember my favorite color?', {
      chatKey: 'telegram:-100',
      with: { chatKind: 'group' },
    });
    await bench.settle();
    const prompt = prompts.at(-1) ?? '';
    expect(prompt).not.toMatch(/green|checkout is slow/);
    expect(prompt).toContain('what is remembered stays in the private chat');
  });

  it('stays within its size limit with ten thousand facts, and says how many it left out', async () => {
    await bench.pool.query(`
      insert into memory_facts (person, n, fact, user_key, thread_id, action_id)
      select '7', n, 'fact ' || n || ' ' || repeat('ü', 180), '7', 'user_7_1', 'act_many_' || n from generate_series(5, 10000) n;
      update memories set last_n = 10000, version = version + 1`);
    await bench.ask(ME, 'what do I own?');
    const prompt = prompts.at(-1) ?? '';
    const told = prompt.slice(prompt.indexOf('As the turn began:'));
    expect(Buffer.byteLength(told)).toBeLessThanOrEqual(8_000);
    expect(Buffer.byteLength(told)).toBeGreaterThan(6_000);
    const facts = sectionOf(prompt, 'Facts');
    expect(facts[1]).toContain('fact 10000 ');
    expect(facts.at(-1)).toMatch(/^and 9,9\d\d more: recall_memory$/);
    // The other sections keep all that they had.
    expect(sectionOf(prompt, 'Projects')).toHaveLength(5);
    expect(sectionOf(prompt, 'Other conversations').length).toBeGreaterThanOrEqual(4);
  });

  it('supports answers about its content, which get no “Nothing was changed.” line', async () => {
    const { rows } = await bench.pool.query(`select body -> 'text' as text from outbox where body ? 'receipts'`);
    expect(rows).toEqual([]);
  });

  it('is described once in the record of the turn, with the order and the cuts of its sections', async () => {
    await bench.ask(ME, 'what do I own?');
    const { rows } = await bench.pool.query<{ record: unknown }>(
      `select record from execution_turns where user_key = $1 order by recorded_at desc limit 1`,
      [ME],
    );
    const asks = ExecutionTurn.parse(rows[0]?.record).asks;
    const [context] = asks.flatMap(({ facts }) => facts.context ?? []);
    expect(context?.sections.map(({ name }) => name)).toEqual([
      'time',
      'rules',
      'deciding',
      'own',
      'deployments',
      'jobs',
      'services',
      'incidents',
      'conversations',
      'facts',
    ]);
    expect(context?.sections.at(-1)?.left).toBeGreaterThan(9_900);
    expect(prompts.at(-1)).toContain(context?.text);
  });

  it('has no verdict about a release before the one that serves, such as after a rollback', async () => {
    const shown = async (): Promise<string> => {
      await bench.ask(ME, 'how is the health of shop in staging?');
      return sectionOf(prompts.at(-1) ?? '', 'Projects').find((line) => line.startsWith('shop in staging')) ?? '';
    };
    const rollBack = (release: string) =>
      bench.pool.query(
        `update deployments set release = $1, finished_at = now() where deployment_id = 'dep_shop_staging'`,
        [release],
      );
    expect(await shown()).toContain('degraded, release 1.5.0');
    await rollBack('1.4.0');
    expect(await shown()).toBe('shop in staging: health unknown, release 1.4.0, on vps-1');
    // A check of the same release, but of its earlier deployment.
    await rollBack('1.5.0');
    expect(await shown()).toBe('shop in staging: health unknown, release 1.5.0, on vps-1');
    await bench.pool.query(`update services set health_at = now() where project = 'shop' and environment = 'staging'`);
    expect(await shown()).toContain('degraded, release 1.5.0');
  });

  it('is the same when the turn is replayed', async () => {
    const replay = await createReplayer(bench.pool);
    const turns = [];
    const { rows } = await bench.pool.query<{ thread_id: string }>(
      `select distinct thread_id from execution_turns where user_key = $1`,
      [ME],
    );
    for (const { thread_id: threadId } of rows) for await (const turn of replay.thread(threadId)) turns.push(turn);
    expect(turns.length).toBeGreaterThan(40);
    expect(turns.filter(({ kind }) => kind !== 'same')).toEqual([]);
  });
});
