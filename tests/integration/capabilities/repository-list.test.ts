import { afterEach, beforeEach, expect, it } from 'vitest';
import { SEVERITIES, type Severity } from '@signalbox/contracts/repository/finding';
import { openCapabilityBench, type CapabilityBench } from './bench.ts';

let bench: CapabilityBench;
let made = 0;
beforeEach(async () => {
  bench = await openCapabilityBench();
  made = 0;
});
afterEach(() => bench.close());

async function project(name: string, open: Partial<Record<Severity, number>> = {}, scanned?: string): Promise<void> {
  await bench.pool.query(
    `insert into projects (name, description, owner, action_id) values ($1, '', '1001', 'act_' || $1)`,
    [name],
  );
  if (scanned !== undefined)
    await bench.pool.query(
      `insert into repository_runs (run_id, project, chain, ref, is_dry, status, finished_at)
       values ('run_' || $1, $1, 'tech_debt', 'HEAD', false, 'completed', $2),
              ('dry_' || $1, $1, 'tech_debt', 'HEAD', true, 'completed', now()),
              ('bad_' || $1, $1, 'tech_debt', 'HEAD', false, 'failed', now())`,
      [name, scanned],
    );
  for (const [severity, count = 0] of Object.entries(open)) await find(name, severity, count);
}

async function find(name: string, severity: string, count: number): Promise<void> {
  made += 1_000;
  await bench.pool.query(
    `insert into repository_findings (project, fingerprint, analyzer, rule, severity, path, evidence, "values", first_run, first_commit, changed_run)
     select $1, lpad(to_hex($4 + n), 32, '0'), (array['code', 'risk'])[1 + n % 2], 'code/x', $2, 'a', '', '{}', 'r', 'c', 'r' from generate_series(1, $3::int) n`,
    [name, SEVERITIES.findIndex((one) => one === severity), count, made],
  );
}

const told = async (tags?: readonly string[]): Promise<string> =>
  (await bench.call('list_repositories', tags ? { tags } : {})).said;

it('projects are listed by their most severe open findings, with tags and the last completed scan', async () => {
  await project('blog', { high: 9, info: 30 }, '2026-03-01T10:00:00Z');
  await project('shop', { critical: 1, low: 2 }, '2026-04-02T10:00:00Z');
  await project('garden');
  await project('api', { high: 9, medium: 1 }, '2026-03-04T10:00:00Z');
  await project('old', { critical: 5 });
  await bench.pool.query(`update projects set status = 'archived' where name = 'old'`);
  for (const tag of ['payments', 'on-call']) await bench.call('tag_project', { project: 'shop', tag });
  await bench.call('tag_project', { project: 'api', tag: 'payments' });
  const [shop, api] = [
    '- **shop** (on-call, payments): 1 critical, 2 low; scanned on 2026-04-02',
    '- **api** (payments): 9 high, 1 medium; scanned on 2026-03-04',
  ];
  expect(await told()).toBe(
    [
      '4 projects, the most severe findings first:',
      [
        shop,
        api,
        '- **blog**: 9 high, 30 info; scanned on 2026-03-01',
        '- **garden**: nothing open; no scan was completed',
      ].join('\n'),
    ].join('\n\n'),
  );
  expect(await told(['Payments'])).toBe(
    `2 projects tagged payments, the most severe findings first:\n\n${shop}\n${api}`,
  );
  expect(await told(['payments', 'on-call'])).toContain('One project tagged payments, on-call');
  expect(await told(['nobody'])).toBe('No project is tagged nobody.');
});

it('the list of projects does not count fixed and accepted findings, and counts expired acceptances again', async () => {
  await project('shop', { high: 4 }, '2026-04-02T10:00:00Z');
  const { rows } = await bench.pool.query<{ id: string }>(`select finding_id::text as id from repository_findings`);
  const [fixed, accepted, ranOut] = rows.map(({ id }) => id);
  await bench.pool.query(`update repository_findings set status = 'fixed' where finding_id = $1`, [fixed]);
  for (const [finding, until] of [
    [accepted, null],
    [ranOut, '2026-01-01'],
  ])
    await bench.pool.query(
      `update repository_findings set status = 'accepted', accepted_by = '1001', accepted_until = $2 where finding_id = $1`,
      [finding, until],
    );
  expect(await told()).toContain('**shop**: 2 high;');
  // A scan may find it less severe, and a project may lose its findings.
  await bench.pool.query(`update repository_findings set severity = 1 where status = 'open'`);
  expect(await told()).toContain('**shop**: 1 high, 1 low;');
  await bench.pool.query(`delete from repository_findings`);
  expect(await told()).toContain('**shop**: nothing open;');
});

it('only ten of many projects are listed, with the number of the others', async () => {
  for (let at = 0; at < 13; at += 1) await project(`p-${String(at).padStart(2, '0')}`, { low: at });
  const lines = (await told()).split('\n').filter((line) => line !== '');
  expect(lines[0]).toBe('13 projects, the most severe findings first:');
  expect(lines[1]).toContain('**p-12**: 12 low');
  expect(lines).toHaveLength(12);
  expect(lines.at(-1)).toBe('… and 3 more.');
});
