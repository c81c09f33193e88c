import { createLog } from '@signalbox/platform/log';
import { openPool, type Pool } from '@signalbox/store/pool';
import { loadPolicySet, readPolicyFolders } from '@signalbox/safety/policy/policy-set';
import { POLICY_FOLDER } from '@signalbox/safety/policy/settings';
import { mayRead } from '@signalbox/governance/permissions/read-permission';
import type { Role } from '@signalbox/contracts/governance/roles';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';
import { searchKnowledge } from '@signalbox/worker/tools/search';
import { createKnowledgeSearch } from '@signalbox/worker/tools/search/knowledge-search';
import type { KnowledgeReader, KnowledgeScope } from '@signalbox/worker/tools/search/hit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { plantCode } from '../support/plant-code.ts';
import { serviceUrl } from '../support/service-login.ts';
import { hideProject } from './hidden-project.ts';

// One word stands in every place that a search reads. Whoever may not see a place must not see the word, whatever they ask.

const WORD = 'quagga';
const SCOPES: readonly KnowledgeScope[] = ['docs', 'code', 'history', 'logs', 'all'];
const QUERIES = [
  WORD,
  'quag',
  'quaggas',
  'QUAGGA',
  'qagga',
  `"${WORD}"`,
  `${WORD} of the vault`,
  "' or true --",
  `the ${WORD}.secret`,
];

let database: TestDatabase;
let owner: Pool;
let worker: Pool;
let registry: ReturnType<typeof createRegistry>;
const log = createLog('test', 'silent');

beforeAll(async () => {
  database = await createDatabase();
  owner = openPool(database.url, log, { name: 'test', max: 2, as: 'owner' });
  worker = openPool(serviceUrl(database.url, 'worker'), log, { name: 'test', max: 4, as: 'worker' });
  registry = createRegistry(await loadCapabilities());
  await owner.query(`insert into users (user_key, channel, name, role) values ('1001', 'telegram', 'Ada', 'admin'),
    ('1002', 'telegram', 'Ben', 'developer'), ('1005', 'telegram', 'Eli', 'viewer')`);
  for (const project of ['open', 'vault']) {
    await plantCode(owner, project, {
      [`src/${WORD}.js`]: `// The ${WORD} of the ${project}\nexport function ${WORD}() {}\n`,
      'README.md': `# ${project}\n\nThe ${WORD} of the ${project} is documented.\n`,
    });
    await owner.query(`insert into servers (name, host, environment, cpus, memory_mb, first_port, last_port, action_id)
      values ('s-${project}', 'h', 'staging', 1, 1, 1, 2, 'act_s_${project}')`);
    await owner.query(
      `insert into services (project, environment, server) values ('${project}', 'staging', 's-${project}')`,
    );
    await owner.query(`insert into deployments (deployment_id, project, environment, server, driver, kind, ref, user_key, failure)
      values ('act_d_${project}', '${project}', 'staging', 's-${project}', 'process', 'deploy', '1.0.0', '1001',
        '{"sentence": "the ${WORD} of the ${project} failed"}')`);
    await owner.query(`insert into deployment_lines (deployment_id, n, state, line)
      values ('act_d_${project}', 1, 'building', 'the ${WORD} of the ${project} builds')`);
    await owner.query(`insert into error_groups (project, environment, fingerprint, source, sample, first_seen, last_seen, count)
      values ('${project}', 'staging', 'f', 'log', 'the ${WORD} of the ${project} broke', now(), now(), 1)`);
  }
  const say = (userKey: string, chat: string, text: string) =>
    owner.query(
      `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id, outcome)
       values ('telegram', 'b', gen_random_uuid(), $1, $2, 'message', jsonb_build_object('text', $3::text), 't', 'answered')`,
      [userKey, chat, text],
    );
  await say('1001', 'telegram:1001', `the ${WORD} that Ada keeps to herself`);
  await say('1002', 'telegram:1002', `the ${WORD} that Ben keeps to himself`);
  await owner.query(`insert into runs (run_id, job, payload, user_key, trace_id, status, error, finished_at)
    values ('act_r', 'diagnostic.run', '{}', '1001', 't', 'failed', 'the ${WORD} of Ada failed', now())`);
});
afterAll(async () => {
  await owner.end();
  await worker.end();
  await database.drop();
});

/** Who asks in a private chat, under the shipped policies and one that hides a project. */
async function readerOf(userKey: string, role: Role, chatKey = `telegram:${userKey}`): Promise<KnowledgeReader> {
  const policies = await loadPolicySet(await readPolicyFolders([POLICY_FOLDER, hideProject('vault')]), 'UTC');
  const scope = {
    actor: { userKey, name: userKey, role },
    agent: { id: 'product_owner', class: 'CONTROL_PLANE' },
    threadId: 'thread',
    turnId: 'turn',
    chatKey,
    inGroup: false,
    now: () => new Date(),
  } as const;
  const limits = { callsPerHour: null, tokensPerDay: null, costUsdPerDay: null };
  const deps = { tools: registry, policy: () => policies.engine, limits };
  return { userKey, chatKey, mayRead: (tool, args) => mayRead(deps, scope, tool, args) };
}

async function readAll(reader: KnowledgeReader, more: { project?: string; ref?: string } = {}): Promise<string> {
  const knowledge = createKnowledgeSearch(worker);
  const answers: unknown[] = [];
  for (const query of QUERIES)
    for (const scope of SCOPES)
      answers.push(await searchKnowledge({ knowledge, log }, { query, scope, ...more }, reader));
  return JSON.stringify(answers.map((answer) => (answer as { result: unknown }).result));
}

describe('a search', () => {
  it('shows an admin every place, under the login of the worker', async () => {
    const all = await readAll({ ...(await readerOf('1001', 'admin')), mayRead: () => true });
    for (const place of [
      'vault@main:src/quagga.js',
      'vault@main:README.md',
      'the quagga of the vault builds',
      'the quagga of the vault broke',
      'the quagga of the vault failed',
      'the quagga that Ada keeps',
      'the quagga of Ada failed',
    ])
      expect(all).toContain(place);
  });

  it.each<[string, Role]>([
    ['1001', 'admin'],
    ['1002', 'developer'],
    ['1005', 'viewer'],
  ])('shows nothing of a project that policy hides from %s, a %s', async (userKey, role) => {
    const reader = await readerOf(userKey, role);
    for (const more of [{}, { project: 'vault' }, { project: 'vault', ref: 'main' }])
      expect(await readAll(reader, more)).not.toMatch(
        /(?:of the vault (?:fail|build|broke|is doc)|vault@|Of the vault)/i,
      );
    expect((await readAll(reader)).includes('open@main:src/quagga.js')).toBe(role !== 'viewer');
  });

  it('shows a viewer no code and no page of a repository, and says that it may not', async () => {
    const reader = await readerOf('1005', 'viewer');
    expect(await readAll(reader)).not.toMatch(/@main:|export function/);
    const knowledge = createKnowledgeSearch(worker);
    const asked = await searchKnowledge({ knowledge, log }, { query: WORD, scope: 'code' }, reader);
    expect(asked).toMatchObject({ result: { results: [], refused: ['code'] } });
    expect(asked.say).toMatch(/developer/);
    // What a viewer may list, they may search.
    expect(await readAll(reader)).toContain('the quagga of the open builds');
  });

  it('shows nobody the words or the jobs of others', async () => {
    for (const [userKey, role] of [
      ['1002', 'developer'],
      ['1005', 'viewer'],
    ] as const) {
      const all = await readAll(await readerOf(userKey, role));
      expect(all).not.toMatch(/Ada keeps|of Ada failed/);
      expect(all.includes('Ben keeps')).toBe(userKey === '1002');
    }
  });

  it('shows in a group only what was said there', async () => {
    expect(await readAll(await readerOf('1001', 'admin', 'telegram:-500'))).not.toContain('Ada keeps');
  });

  it('puts everything that others wrote into envelopes', async () => {
    const knowledge = createKnowledgeSearch(worker);
    const { result, untrusted } = await searchKnowledge(
      { knowledge, log },
      { query: WORD, scope: 'all' },
      { ...(await readerOf('1001', 'admin')), mayRead: () => true },
    );
    expect(untrusted).toBe(true);
    for (const hit of (result as { results: readonly unknown[] }).results)
      expect(hit).toHaveProperty('outside', 'search_knowledge');
  });
});
