import { afterEach, beforeEach, expect, it } from 'vitest';
import { reconcilePackages } from '@signalbox/store/repository/relationships';
import { openCapabilityBench, type CapabilityBench } from './bench.ts';

let bench: CapabilityBench;
beforeEach(async () => {
  bench = await openCapabilityBench();
});
afterEach(() => bench.close());

/** A project whose manifests were read. */
async function audit(project: string, offers: readonly string[], uses: readonly string[] = []): Promise<void> {
  await bench.pool.query(
    `with p as (insert into projects (name, description, owner, action_id) values ($1, '', '1001', 'act_' || $1)),
          r as (insert into repository_runs (run_id, project, chain, ref, is_dry, status, finished_at)
                  values ('run_' || $1, $1, 'dependency_audit', 'HEAD', false, 'completed', now()))
     insert into repository_agent_runs (run_id, step, agent, agent_class, status)
       values ('run_' || $1, 1, 'dependency', 'READ_ONLY_SCAN', 'completed')`,
    [project],
  );
  await reconcilePackages(bench.pool, project, { offers: [...offers], uses: [...uses] });
}

const told = async (project: string): Promise<string> => (await bench.call('list_relationships', { project })).said;

it('the dependents and the dependencies of a project are shown with the names of their packages', async () => {
  await audit('shop', ['npm shop', 'npm tea', 'npm milk', 'npm cups'], ['npm logs', 'npm react']);
  await audit('blog', ['npm blog'], ['npm shop', 'npm tea', 'npm milk', 'npm cups']);
  await audit('api', [], ['npm shop']);
  await audit('logging', ['npm logs']);
  expect(await told('shop')).toBe(
    [
      '**shop** depends on:',
      '- **logging**: `npm logs`',
      'Projects that depend on **shop**:',
      '- **blog**: `npm cups`, `npm milk`, `npm shop` and 1 more\n- **api**: `npm shop`',
    ].join('\n\n'),
  );
  expect(await told('api')).toContain('No other project depends on api.');
  expect(await told('logging')).toContain('logging depends on no other project.');
});

it('only ten of many dependents are shown, with a note that there are more', async () => {
  await audit('shop', ['npm shop']);
  for (let at = 0; at < 11; at += 1) await audit(`user-${at}`, [], ['npm shop']);
  const lines = (await told('shop')).split('\n');
  expect(lines.filter((line) => line.startsWith('- **user-'))).toHaveLength(10);
  expect(lines.at(-1)).toBe('… and more.');
});

it('a project whose manifests were not read is reported as such, and a project without packages is not', async () => {
  await bench.call('create_project_intent', { name: 'garden', description: 'Flowers.' });
  expect(await told('garden')).toContain('audit the dependencies of garden');
  await audit('docs', []);
  expect(await told('docs')).toBe('docs depends on no other project.\n\nNo other project depends on docs.');
});
