import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCapabilityBench, type CapabilityBench } from './bench.ts';

let bench: CapabilityBench;
beforeEach(async () => {
  bench = await openCapabilityBench();
});
afterEach(() => bench.close());

const register = (actionId?: string) => bench.call('register_demo_project', {}, actionId ? { actionId } : {});
const rows = async () =>
  (await bench.pool.query<{ name: string; repository: string }>('select name, repository from projects')).rows;

describe('registering the demo project', () => {
  it('creates the project once, however often it is requested', async () => {
    // Either of the two may come first, and the other finds it there.
    const both = await Promise.all([register('act_a'), register('act_a')]);
    expect(both.map(({ said }) => said).join()).toContain('registered the project **demo**');
    expect((await register()).said).toContain('exists already');
    expect(await rows()).toEqual([{ name: 'demo', repository: 'file:///srv/demo.git' }]);
  });

  it('updates the project when the demo repository has moved', async () => {
    await register();
    await bench.pool.query(`update projects set repository = 'file:///elsewhere/demo.git'`);
    await register();
    expect(await rows()).toEqual([{ name: 'demo', repository: 'file:///srv/demo.git' }]);
  });

  it('does not change a project of the same name that somebody else created', async () => {
    const repository = 'https://example.com/team/demo.git';
    await bench.call('create_project_intent', { name: 'demo', description: 'Ours', repository });
    await expect(register()).rejects.toThrow(/already, with the repository https:\/\/example\.com/);
    expect(await rows()).toEqual([{ name: 'demo', repository }]);
  });
});
