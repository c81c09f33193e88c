import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPassageStore } from '@signalbox/jobs/knowledge/knowledge-passages';
import { openCapabilityBench, type CapabilityBench } from './bench.ts';

let bench: CapabilityBench;
beforeEach(async () => {
  bench = await openCapabilityBench();
});
afterEach(() => bench.close());

const search = (query: string, scope: 'docs' | 'code' | 'history' | 'logs' | 'all' = 'docs', userKey = '1001') =>
  bench.ports.knowledge.search({ query, scope }, { userKey, chatKey: null, mayRead: () => true }, 5);

const sources = async (query: string) => (await search(query)).hits.map((hit) => hit.source);

async function index(): Promise<void> {
  const passages = createPassageStore(bench.pool);
  await passages.replace('docs/policy.md', 'h1', [
    { heading: 'Policy › Four eyes', content: 'A dangerous deployment needs the approval of a second person.' },
    {
      heading: 'Policy › Time windows',
      content: 'A rule may hold at certain times only, such as nights and weekends.',
    },
  ]);
  await passages.replace('docs/ports.md', 'h2', [
    { heading: 'Ports', content: 'Each allocation of a port reserves memory on the server.' },
  ]);
}

describe('the search in the documentation', () => {
  beforeEach(index);

  it.each([
    ['how are deployments approved?', 'docs/policy.md § Policy › Four eyes'],
    ['time windows', 'docs/policy.md § Policy › Time windows'],
    ['"second person"', 'docs/policy.md § Policy › Four eyes'],
    ['weeken', 'docs/policy.md § Policy › Time windows'],
    ['alocation of ports', 'docs/ports.md § Ports'],
    ['ALLOCATION', 'docs/ports.md § Ports'],
  ])('answers %j with the page %s', async (query, source) => {
    expect((await sources(query))[0]).toBe(source);
  });

  it.each(['', '   ', "it's & | ! ( :* <-> \\ '", 'zzzqqq', 'x'.repeat(5_000), '\u0000'.replace('\u0000', '%_')])(
    'accepts the query %j without an error',
    async (query) => {
      await expect(search(query, 'all')).resolves.toMatchObject({ unavailable: ['code'] });
    },
  );

  it('gives an excerpt and a relevance between 0 and 1, best match first', async () => {
    const { hits } = await search('approval of a dangerous deployment');
    expect(hits[0]?.excerpt).toBe('A dangerous deployment needs the approval of a second person.');
    for (const hit of hits) {
      expect(hit.relevance).toBeGreaterThan(0);
      expect(hit.relevance).toBeLessThanOrEqual(1);
    }
    expect(hits.map((hit) => hit.relevance)).toEqual(hits.map((hit) => hit.relevance).sort((a, b) => b - a));
  });

  it('keeps text that looks like an HTML tag in an excerpt', async () => {
    const filler = 'Some words that only make the passage long. '.repeat(20);
    const content = `${filler}Run signalbox people add <id> <role> to let somebody in. ${filler}`;
    await createPassageStore(bench.pool).replace('docs/people.md', 'h3', [{ heading: 'People', content }]);
    const { hits } = await search('let somebody in');
    expect(hits[0]?.excerpt).toContain('add <id> <role> to let somebody in');
    expect(hits[0]?.excerpt.length).toBeLessThan(600);
  });

  it('uses a new index as a whole when the documentation changes, even when two jobs index at once', async () => {
    const passages = createPassageStore(bench.pool);
    const write = (n: number) =>
      passages.replace('docs/ports.md', `h${n}`, [{ heading: 'Ports', content: `Edition ${n} of the chapter.` }]);
    await Promise.all(Array.from({ length: 10 }, (_, n) => write(n)));
    expect(await sources('allocation')).toEqual([]);
    expect(await sources('edition chapter')).toEqual(['docs/ports.md § Ports']);
    expect(await passages.retain(['docs/ports.md'])).toBe(1);
    expect(await passages.count()).toBe(1);
  });
});

describe('a source that has not been indexed', () => {
  it('is reported as unavailable in a search', async () => {
    const nothing = { hits: [], refused: [], refs: [] };
    expect(await search('anything', 'all')).toEqual({ ...nothing, unavailable: ['docs', 'code'] });
    expect(await search('anything', 'logs')).toEqual({ ...nothing, unavailable: [] });
    await index();
    expect((await search('anything', 'all')).unavailable).toEqual(['code']);
    expect((await search('anything', 'docs')).unavailable).toEqual([]);
  });
});

describe('the search in the history', () => {
  const hear = (userKey: string, text: string, outcome: string | null = 'answered') =>
    bench.pool.query(
      `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id, outcome)
       values ('telegram', 'b', gen_random_uuid(), $1, 'c', 'message', jsonb_build_object('text', $2::text), 't', $3)`,
      [userKey, text, outcome],
    );
  const tell = (userKey: string | null, text: string, status = 'sent') =>
    bench.pool.query(
      `insert into outbox (key, chat_key, user_key, trace_id, priority, body, status)
       values (gen_random_uuid(), 'c', $1, 't', 5, jsonb_build_object('text', $2::text), $3)`,
      [userKey, text, status],
    );
  const excerpts = async (query: string, userKey: string, scope: 'history' | 'all' = 'history') =>
    (await search(query, scope, userKey)).hits.map((hit) => hit.excerpt);

  it('finds messages of the person and answers to these messages, each with its source', async () => {
    await hear('1001', 'let us migrate redis on Friday');
    await tell('1001', 'I noted the redis migration for Friday.');
    const { hits, unavailable } = await search('redis migration', 'history');
    expect(hits.map((hit) => hit.source).sort()).toEqual([
      expect.stringMatching(/^my answer of \d{4}-\d\d-\d\d \d\d:\d\d UTC$/),
      expect.stringMatching(/^your message of /),
    ]);
    expect(unavailable).toEqual([]);
  });

  it('never shows messages of other people, in any scope', async () => {
    await hear('1002', 'the password of the vault is swordfish');
    await tell('1002', 'I will remember swordfish.');
    await tell(null, 'To everybody: swordfish.');
    await hear('1001', 'what is the password?');
    for (const scope of ['history', 'all'] as const) {
      expect(await excerpts('swordfish', '1001', scope)).toEqual([]);
      expect(await excerpts('password swordfish', '1001', scope)).toEqual(['what is the password?']);
      expect(await excerpts('swordfi', '1001', scope)).toEqual([]);
    }
    expect(await excerpts('swordfish', '1002')).toHaveLength(2);
    expect(await excerpts(`swordfish' or '1'='1`, '1001')).toEqual([]);
  });

  it('leaves out the question itself, and messages that were not delivered', async () => {
    await hear('1001', 'what did I say about redis?', null);
    await tell('1001', 'redis is down', 'failed');
    expect(await excerpts('redis', '1001')).toEqual([]);
  });
});

it('indexing the documentation is a job, and its requester is notified of the end', async () => {
  const { said } = await bench.call('index_docs', {});
  expect(bench.started).toEqual([{ job: 'knowledge.index', payload: {} }]);
  expect(said).toBe('Indexing the documentation; I will tell you when it is done.');
});
