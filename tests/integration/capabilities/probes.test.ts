import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureLocalServer } from '@signalbox/store/deploy/servers';
import { createCheckpointTables } from '@signalbox/worker/checkpoints/set-up';
import { openCapabilityBench, type CapabilityBench } from './bench.ts';

/*
 * What a tool writes is found again by the id of its action and by nothing else: not by a name, which another action may have used.
 */

const KEY = `SHA256:${'A'.repeat(43)}`;
const SHOP = { project: 'shop', environment: 'staging' } as const;

/** In this order: each needs what those before it have made. */
const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['create_project_intent', { name: 'shop', description: 'Tea.' }],
  ['update_project', { project: 'shop', status: 'active' }],
  ['register_demo_project', {}],
  [
    'register_server',
    {
      name: 'vps-1',
      host: '10.0.0.5',
      environment: 'staging',
      cpus: 2,
      memoryMb: 2_048,
      firstPort: 20_000,
      lastPort: 20_009,
    },
  ],
  ['trust_host_key', { server: 'vps-1', fingerprint: KEY }],
  ['allocate_port', { project: 'shop', server: 'vps-1' }],
  ['release_port', { server: 'vps-1', port: 20_000 }],
  ['set_service_variable', { ...SHOP, name: 'LOG_LEVEL', value: 'debug' }],
  ['remove_service_variable', { ...SHOP, name: 'LOG_LEVEL' }],
  ['mute_service', { ...SHOP, hours: 2 }],
  ['tag_project', { project: 'shop', tag: 'payments' }],
  ['remove_tag', { project: 'shop', tag: 'payments' }],
  ['clear_project_state', { project: 'shop' }],
  ['trigger_deploy', { ...SHOP, project: 'demo', version: '1.0' }],
];

describe('after an interrupted action', () => {
  let bench: CapabilityBench;
  beforeAll(async () => {
    bench = await openCapabilityBench();
    await ensureLocalServer(bench.pool, { cpus: 4, memoryMb: 8_192 });
    await createCheckpointTables(bench.pool);
    await bench.pool.query(
      `insert into users (user_key, channel, name, role) values ('1001', 'telegram', 'Ada', 'admin')`,
    );
  });
  afterAll(() => bench.close());

  const begin = async (actionId: string, tool: string): Promise<void> => {
    await bench.pool.query(
      `insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status)
       values ($1, 't', 'user_1001_1', '1001', $2, '{}', 1, 'started')`,
      [actionId, tool],
    );
  };

  it.each(CALLS)(
    'the probe of %s finds the effect of its own action, and none of earlier or other actions',
    async (tool, args) => {
      if (tool === 'trust_host_key')
        await bench.pool.query(`update servers set host_key_seen = $1 where name = 'vps-1'`, [KEY]);
      const [mine, other] = [`act_${tool}`, `act_${tool}_other`];
      await begin(mine, tool);
      await begin(other, tool);
      const isNew = tool === 'create_project_intent' || tool === 'register_server'; // nothing of that name is there yet
      expect(isNew ? await bench.probe(tool, args, mine) : { kind: 'not-done' }).toMatchObject({ kind: 'not-done' });
      const { said } = await bench.call(tool, args, { actionId: mine });
      expect(await bench.probe(tool, args, other)).toMatchObject({ kind: 'not-done' });
      expect(await bench.probe(tool, args, mine)).toMatchObject({ kind: 'done', said });
    },
  );

  it('an action that was settled as failed can no longer write', async () => {
    await begin('act_over', 'update_project');
    await bench.pool.query(`update actions set status = 'failed' where action_id = 'act_over'`);
    const late = bench.call('update_project', { project: 'shop', status: 'archived' }, { actionId: 'act_over' });
    await expect(late).rejects.toThrow(/was settled as failed before this/);
    expect((await bench.ports.projects.get('shop')).status).toBe('active');
  });
});
