import { createServer, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openDeployBench, type DeployBench } from '../integration/jobs/deploy-bench.ts';
import { appFiles } from '../support/deploy-repository.ts';

let bench: DeployBench;
beforeAll(async () => {
  bench = await openDeployBench();
  // Whoever has probed a port and is about to start a program with it waits until the test has looked at it.
  await bench.jobs.pool.query(`
    create table looked_at (port int primary key);
    grant select on looked_at to public;
    create function wait_for_look() returns trigger language plpgsql as $$
    begin
      if new.port is not null and new.port is distinct from old.port then
        for waited in 1 .. 200 loop
          exit when exists (select 1 from looked_at l where l.port = new.port);
          perform pg_sleep(0.05);
        end loop;
      end if;
      return new;
    end $$;
    create trigger wait_for_look before update on deployments for each row execute function wait_for_look();`);
  await bench.jobs.startService(bench.settings({ JOBS_CONCURRENCY: '8' }));
});
afterAll(() => bench.close());

const strangers: Server[] = [];
afterEach(async () => {
  for (const server of strangers.splice(0)) {
    const closed = new Promise((done) => server.close(done));
    server.closeAllConnections();
    await closed;
  }
  await bench.jobs.pool.query('delete from looked_at');
});

async function listen(port: number): Promise<void> {
  const server = createServer((_request, response) => response.writeHead(404).end());
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  strangers.push(server);
}

/** Takes the first `count` ports that are leased for its instance, after they were probed, which whoever waits has done. */
function grab(deploymentId: string, count: number): { readonly ports: number[]; stop(): Promise<void> } {
  const ports: number[] = [];
  let isOver = false;
  const look = async (): Promise<void> => {
    while (!isOver) {
      const { rows } = await bench.jobs.pool.query<{ port: number }>(
        `select port from port_allocations where service = $1 and released_at is null
            and port not in (select port from looked_at)
            and exists (select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep')`,
        [`instance:${deploymentId}`],
      );
      for (const { port } of rows) {
        if (ports.length < count) {
          await listen(port);
          ports.push(port);
        }
        await bench.jobs.pool.query('insert into looked_at values ($1)', [port]);
      }
      await new Promise((done) => setTimeout(done, 20));
    }
  };
  const looking = look();
  return {
    ports,
    stop: async () => {
      isOver = true;
      await looking;
    },
  };
}

it('a port that another program took between the probe and the start fails no deployment', async () => {
  const shop = await bench.shop('grabbed');
  shop.repository.release('v1', appFiles({}));
  const grabber = grab('act_g1', 2);
  const said = await shop.deploy('act_g1', 'v1');
  await grabber.stop();
  expect(said).toContain('✅');
  expect(grabber.ports).toHaveLength(2);
  expect(await shop.serves()).toMatch(/^v1-/);
  const found = await bench.jobs.pool.query<{ port: number }>(
    `select port from port_allocations where service = 'instance:act_g1' and released_at is null`,
  );
  expect(found.rows).toHaveLength(1);
  expect(grabber.ports).not.toContain(found.rows[0]?.port);
  const again = ['starting', 'health_checking'];
  const end = ['switching', 'verifying', 'draining', 'succeeded'];
  expect(await bench.states('act_g1')).toEqual([
    'queued',
    'preparing',
    'building',
    ...again,
    ...again,
    ...again,
    ...end,
  ]);
});

it('a deployment fails and names the ports when other programs take each port, and it leaves no port reserved', async () => {
  const shop = await bench.shop('crowded');
  shop.repository.release('v1', appFiles({}));
  const grabber = grab('act_g2', 9);
  const said = await shop.deploy('act_g2', 'v1');
  await grabber.stop();
  expect(grabber.ports).toHaveLength(3);
  expect(said).toContain(
    `Another program took the port ${grabber.ports[2] ?? ''} before the release could listen on it`,
  );
  expect(said).toContain(grabber.ports.join(', '));
  expect(await shop.leases()).toEqual([]);
});

it('a program that fails for a reason other than its port is not started again', async () => {
  const shop = await bench.shop('broken');
  shop.repository.release('v1', appFiles({ begin: `console.error('no database'); process.exit(3);` }));
  const grabber = grab('act_g3', 0);
  const said = await shop.deploy('act_g3', 'v1');
  await grabber.stop();
  expect(said).toMatch(/exit code 3/);
  expect((await bench.states('act_g3')).filter((state) => state === 'starting')).toHaveLength(1);
});
