import { createNameNotFound } from '@signalbox/store/deploy/not-found';
import { NameCache } from '@signalbox/worker/agents/known-names';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/until.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

/** More than any list that somebody could keep in a prompt. */
const OTHERS = 1_500;

describe('among thousands of project and server names', () => {
  let bench: WorkerBench;
  beforeAll(async () => {
    bench = await openWorkerBench();
    await bench.addPerson('7', 'developer');
    await bench.pool.query(
      `insert into projects (name, description, owner, action_id, created_at)
       select name, 'a project', '7', 'act_' || name, now() - age * interval '1 minute'
         from (values ('quokka', 9000), ('finch-mobile', 9000), ('long-gone', 9000)) old (name, age)
       union all select 'service-' || n, 'a project', '7', 'act_' || n, now() - n * interval '1 minute' from generate_series(1, $1) n`,
      [OTHERS],
    );
    await bench.pool.query(`update projects set status = 'archived' where name = 'long-gone'`);
    await bench.pool.query(
      `insert into servers (name, host, environment, cpus, memory_mb, first_port, last_port, action_id, registered_at)
       select name, name, 'staging', 4, 4096, 4000, 4999, 'act_s' || name, now() - interval '9000 minutes' * (name = 'heron-1')::int
         from (select 'heron-1' as name union all select 'rack-' || n from generate_series(1, $1) n) x`,
      [OTHERS],
    );
    await bench.startWorker({ env: { MODEL: 'offline' } });
  });
  afterAll(() => bench.close());

  const find = async (text: string) => new NameCache(bench.pool).of(() => [text]);
  const ask = async (text: string): Promise<string> => {
    const before = (await bench.replies('7')).length;
    await bench.say('7', text);
    const replies = await eventually(
      () => bench.replies('7'),
      (all) => all.length > before,
    );
    return replies.slice(before).join('\n');
  };

  it('the oldest project and server are found by the words of a person', async () => {
    const { project, server } = await find('Put Quokka, and then the finch mobile, on heron-1 please');
    expect(project).toEqual(expect.arrayContaining(['quokka', 'finch-mobile']));
    expect(server).toContain('heron-1');
  });

  it.each([
    ['mistyped', 'deploy quoka', 'quokka'],
    ['with swapped letters', 'deploy qoukka', 'quokka'],
    ['shortened', 'deploy finch', 'finch-mobile'],
    ['in the possessive', "quokka's ports", 'quokka'],
    ['in another message before', 'it', 'quokka'],
  ])('the oldest project is found %s', async (_how, text, name) => {
    const { project } = await new NameCache(bench.pool).of(() => [text, 'quokka']);
    expect(project).toContain(name);
  });

  it('an archived project is not found', async () => {
    expect((await find('deploy long-gone')).project).not.toContain('long-gone');
  });

  it("the size of a turn's input does not grow with the number of names", async () => {
    const { project = [], server = [] } = await find('x '.repeat(1_000));
    expect(project.length + server.length).toBeLessThan(500);
  });

  it('a person can name the oldest project and server in a request', async () => {
    expect(await ask('allocate a port for quokka on heron-1')).toContain('heron-1');
    const { rows } = await bench.pool.query('select project, server from port_allocations');
    expect(rows).toEqual([{ project: 'quokka', server: 'heron-1' }]);
  });

  it('a typo in the name of the oldest project is corrected', async () => {
    expect(await ask('which ports does quoka have?')).toContain('quokka');
  });

  it('the error about an unknown name counts all names and suggests the oldest', async () => {
    const error = await createNameNotFound(bench.pool, 'project', 'quoka');
    expect(error.message).toContain('quokka (did you mean this?)');
    expect(error.message).toContain(`and ${OTHERS + 2 - 10} more`);
    expect((await createNameNotFound(bench.pool, 'server', 'heron')).message).toContain('heron-1 (did you mean this?)');
  });
});

describe('the cached project and server names', () => {
  let bench: WorkerBench;
  beforeAll(async () => {
    bench = await openWorkerBench();
  });
  afterAll(() => bench.close());

  const texts = () => ['deploy owl'];
  const add = (name: string) =>
    bench.pool.query(
      `insert into projects (name, description, owner, action_id) values ($1, 'a project', '7', 'act_' || $1)`,
      [name],
    );
  const readVersion = async () => {
    const { rows } = await bench.pool.query<{ version: string }>('select version::text from names_version');
    return rows[0]?.version ?? '';
  };

  it('include all names in use, and archived names are recognized', async () => {
    await add('owl');
    await add('gone');
    await bench.pool.query(`update projects set status = 'archived' where name = 'gone'`);
    const names = new NameCache(bench.pool);
    expect(await names.of(() => ['hello'])).toEqual({ project: ['owl'], server: [] });
    expect(await names.among(['gone', 'owl', 'bird'])).toEqual(new Set(['gone', 'owl']));
  });

  it('are read again only after a claimed lane reports a newer version', async () => {
    const names = new NameCache(bench.pool);
    names.seen(await readVersion());
    const before = await names.of(texts);
    await add('heron');
    expect(await names.of(texts)).toBe(before);
    names.seen(await readVersion());
    expect((await names.of(texts))['project']).toContain('heron');
  });

  it('are not kept when they were read before a change', async () => {
    const names = new NameCache(bench.pool);
    const early = names.of(texts);
    await add('egret');
    names.seen(await readVersion());
    await early;
    expect((await names.of(texts))['project']).toContain('egret');
  });

  it('keep their version when a change is rolled back', async () => {
    const before = await readVersion();
    const client = await bench.pool.connect();
    await client.query('begin');
    await client.query(`update projects set status = 'archived' where name = 'owl'`);
    await client.query('rollback');
    client.release();
    expect(await readVersion()).toBe(before);
  });
});
