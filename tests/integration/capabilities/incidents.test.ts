import { isUnfounded, listEntityFacts } from '@signalbox/governance/provenance/unfounded';
import { ensureLocalServer } from '@signalbox/store/deploy/servers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listIncidents } from '@signalbox/worker/capabilities/diagnose/incidents';
import { openCapabilityBench, type CapabilityBench } from './bench.ts';

let bench: CapabilityBench;
beforeEach(async () => {
  bench = await openCapabilityBench();
  await ensureLocalServer(bench.pool, { cpus: 2, memoryMb: 4_096 });
  await bench.pool.query(
    `insert into users (user_key, channel, name, role) values ('1001', 'telegram', 'Ada', 'operator'), ('1002', 'telegram', 'Ben', 'developer');
     insert into projects (name, description, owner, action_id) values ('shop', '', '1001', 'act_shop'), ('blog', '', '1001', 'act_blog')`,
  );
});
afterEach(() => bench.close());

/** Opens an incident some minutes ago, and may close it. */
async function report(
  subject: string,
  kind: string,
  { opened = 10, closed = null as number | null, told = null as string | null, evidence = {} } = {},
): Promise<void> {
  await bench.pool.query(
    `insert into incidents (subject, kind, detail, evidence, opened_at, closed_at, told, taken_by)
       values ($1, $2, $3, $4, now() - $5 * interval '1 minute', now() - $6 * interval '1 minute', $7, $7)`,
    [subject, kind, `It is ${kind}`, evidence, opened, closed, told],
  );
}

/** Lets a service serve on a server, with its health as the last probe found it. */
async function serve(project: string, state = 'succeeded', minutes = 1): Promise<void> {
  await bench.pool.query(
    `insert into services (project, environment, server) values ($1, 'staging', 'local') on conflict do nothing`,
    [project],
  );
  await bench.pool.query(
    `insert into deployments (deployment_id, project, environment, server, driver, kind, ref, release, state, state_at, user_key,
       requested_at, finished_at)
     values ('act_' || $1 || $2, $1, 'staging', 'local', 'process', 'deploy', '1.1', '1.1', $2, now(), '1002',
       now() - $3 * interval '1 minute', now() - $3 * interval '1 minute')`,
    [project, state, minutes],
  );
  if (state === 'succeeded')
    await bench.pool.query(
      `update services set serving = 'act_' || $1 || 'succeeded', health_at = now() where project = $1`,
      [project],
    );
}

it('the question whether anything is wrong is answered with “nothing” first, whatever was wrong before', async () => {
  await serve('shop');
  await report('service:shop/staging', 'down', { opened: 90, closed: 30 });
  const { output, said } = await bench.call('is_anything_wrong', {});
  expect(output).toMatchObject({ verdict: 'well', services: 1, incidents: [] });
  expect(said).toBe('Nothing is wrong now: no incident is open, and the only service answers well.');
});

it('a decision that a forge has not taken yet is wrong, as the list of open incidents says', async () => {
  await serve('shop');
  await report('gate:evt_1', 'gate', { evidence: { repository: 'acme/shop' } });
  const { output, said } = await bench.call('is_anything_wrong', {});
  expect(output).toMatchObject({ verdict: 'wrong', incidents: [{ name: 'acme/shop' }] });
  expect(said).toContain('**acme/shop**: It is gate.');
});

it('what is wrong now is told with place, time, who was told and who takes care of it', async () => {
  await serve('shop');
  await report('service:shop/staging', 'down', { told: '1001' });
  await report('alarm:prometheus/f1', 'alarm', { evidence: { project: 'blog', environment: 'production' } });
  const { said } = await bench.call('is_anything_wrong', {});
  expect(said?.split('\n')[0]).toBe('2 things are wrong now:');
  expect(said).toContain('**shop/staging**: It is down. Open for 10 min. Ada was told. Ada takes care of it.');
  expect(said).toContain('**prometheus blog/production**: It is alarm. Open for 10 min. Nobody was told.');
});

it('what a model says of an incident is supported by the names in the list', async () => {
  await report('alarm:prometheus/f1', 'alarm', { evidence: { project: 'blog', environment: 'production' } });
  const { output } = await bench.call('list_incidents', {});
  const facts = listEntityFacts(listIncidents.evidence(output));
  const grounds = { names: new Set(['blog']), verbs: new Set<string>(), facts };
  expect(isUnfounded('Nobody took the alarm of blog in production.', grounds)).toBe(false);
});

it('a machine on which every service is slow is one problem of the machine', async () => {
  await serve('shop');
  await serve('blog');
  await report('service:shop/staging', 'slow');
  await report('service:blog/staging', 'slow');
  const { output, said } = await bench.call('is_anything_wrong', {});
  expect(output).toMatchObject({ slow_servers: [{ server: 'local', services: 2 }], incidents: [] });
  expect(said).toContain('One thing is wrong now:');
  expect(said).toContain('**local**: all 2 services there are slow, so it is the machine.');
});

it('incidents of one project since a time never show those of another, nor faults of Signalbox', async () => {
  await report('service:shop/staging', 'down', { opened: 50, closed: 40 });
  await report('service:blog/staging', 'errors', { opened: 20 });
  await report('service:shop/production', 'slow', { opened: 5_000, closed: 4_000 });
  await report('signalbox', 'audit', { opened: 5 });
  const listed = async (args: object) => {
    const { output } = await bench.call('list_incidents', args);
    const { incidents } = output as { incidents: { project: string; environment: string }[] };
    return incidents.map(({ project, environment }) => `${project}/${environment}`);
  };
  expect(await listed({ since: '2 hours', project: 'shop' })).toEqual(['shop/staging']);
  expect(await listed({})).toEqual(['blog/staging']);
  expect(await listed({ state: 'closed' })).toEqual(['shop/staging', 'shop/production']);
  expect((await bench.call('list_incidents', { project: 'shop' })).said).toBe('No incident is open on **shop**.');
});

it('errors of one project never come with what is broken in another', async () => {
  await report('service:blog/staging', 'errors');
  await report('service:shop/staging', 'down');
  const { said } = await bench.call('get_error_history', { project: 'shop' });
  expect(said).toContain('shop/staging');
  expect(said).not.toContain('blog');
});

it('the error history takes a start time like the other looks', async () => {
  await serve('shop');
  const { output } = await bench.call('get_error_history', { project: 'shop', since: '3 hours' });
  expect(output).toMatchObject({ hours: 3 });
  await expect(bench.call('get_error_history', { since: 'next year' })).rejects.toThrow('next year');
});

it('failed deployments of today are listed without those that went well', async () => {
  await serve('shop');
  await serve('blog', 'failed');
  await serve('shop', 'failed', 3_000);
  const { said } = await bench.call('list_deployments', { state: 'failed', since: '24 hours' });
  expect(said).toContain('blog');
  expect(said).not.toContain('shop');
  const none = await bench.call('list_deployments', { project: 'shop', state: 'failed', since: '1 hour' });
  expect(none.said).toBe('There were no such deployments.');
});

it('changes end where the question ends them', async () => {
  await serve('shop', 'succeeded', 60);
  await serve('blog', 'succeeded', 5);
  const { said } = await bench.call('what_changed', { since: '2 hours', until: '30 min' });
  expect(said).toContain('shop');
  expect(said).not.toContain('blog');
});

it('an order to restart is answered with what is possible, and with a button for it', async () => {
  await serve('shop');
  const { output, said } = await bench.call('restart_service', { project: 'shop' });
  expect(output).toMatchObject({ possible: false, services: [{ environment: 'staging', release: '1.1' }] });
  expect(said).toContain('deploy its release again');
  expect((await bench.call('scale_service', { project: 'shop' })).said).toContain('cannot be scaled');
});
