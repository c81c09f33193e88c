import { putArtifacts, readArtifact, type Artifact } from '@signalbox/store/artifacts';
import { openPool, type Pool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { executeCall } from '@signalbox/governance/action-run';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import { tool, toolGroup, withFiles, type Risk } from '@signalbox/worker/tools/tool';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { governanceOver, scopeOfAda, shippedPolicy } from '../../support/governance.ts';

const log = createLog('test', 'silent');
const LANE = { userKey: '1', epoch: '7' };
const MB = 1024 * 1024;

let database: TestDatabase;
let pool: Pool;
beforeEach(async () => {
  database = await createDatabase();
  pool = openPool(database.url, log, { name: 'test', max: 5, as: 'owner' });
  await pool.query(
    `insert into lanes (user_key, epoch, worker, lease_until) values ('1', 7, 'w', now() + interval '1 hour')`,
  );
  await pool.query(`insert into users (user_key, channel, name, role) values ('1', 'telegram', 'Ada', 'developer')`);
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

const action = (actionId = 'act_1') => ({ actionId, turnId: 'turn_1', threadId: 'user_1_1' });
const text = (name: string, content: string | Uint8Array = 'hello'): Artifact => ({
  name,
  mimeType: 'text/plain',
  content,
});
const stored = async (): Promise<{ name: string; size_bytes: number }[]> =>
  (
    await pool.query<{ name: string; size_bytes: number }>(
      'select name, size_bytes from artifacts order by action_id, place',
    )
  ).rows;

describe('files of an action', () => {
  it('are stored once, however often the turn is resumed, and can be read back unchanged', async () => {
    const files = [text('a.txt'), text('b.bin', Uint8Array.from([0, 255, 10, 13]))];
    const first = await putArtifacts(pool, LANE, action(), files);
    const again = await putArtifacts(pool, LANE, { ...action(), turnId: 'turn_2' }, files);
    expect(again).toEqual(first);
    expect(await stored()).toHaveLength(2);
    const id = first.kind === 'stored' ? (first.files[1]?.artifactId ?? '') : '';
    expect(await readArtifact(pool, id)).toEqual({
      name: 'b.bin',
      mimeType: 'text/plain',
      bytes: Buffer.from([0, 255, 10, 13]),
    });
    expect(await readArtifact(pool, 'art_none')).toBeNull();
  });

  it('have names without folders', async () => {
    await putArtifacts(pool, LANE, action(), [text('../../etc/passwd'), text('\u202efdp.exe'), text('')]);
    expect((await stored()).map((row) => row.name)).toEqual(['passwd', 'fdp.exe', 'file']);
  });

  it('are not stored by a worker that lost the lane', async () => {
    expect(await putArtifacts(pool, { ...LANE, epoch: '6' }, action(), [text('a.txt')])).toEqual({ kind: 'lost' });
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['eleven', () => Array.from({ length: 11 }, (_, n) => text(`${n}.txt`)), /11 files, and 10 fit/],
    [
      'a large one',
      () => [text('big.bin', new Uint8Array(20 * MB + 1))],
      /big\.bin has 21 MB, and a file may have 21 MB/,
    ],
    ['an empty one', () => [text('a.txt'), text('b.txt', '')], /b\.txt is empty/],
  ])('are all refused when one is invalid: %s', async (_, files, detail) => {
    expect(await putArtifacts(pool, LANE, action(), files())).toEqual({
      kind: 'refused',
      detail: expect.stringMatching(detail),
    });
    expect(await stored()).toEqual([]);
  });

  it('count towards one limit per turn, not per action', async () => {
    const large = [text('a.bin', new Uint8Array(18 * MB))];
    expect(await putArtifacts(pool, LANE, action('act_1'), large)).toMatchObject({ kind: 'stored' });
    expect(await putArtifacts(pool, LANE, action('act_2'), large)).toMatchObject({ kind: 'stored' });
    expect(await putArtifacts(pool, LANE, action('act_3'), large)).toMatchObject({ kind: 'refused' });
    expect(await putArtifacts(pool, LANE, { ...action('act_3'), turnId: 'turn_2' }, large)).toMatchObject({
      kind: 'stored',
    });
  });

  it('are deleted after thirty days, when new files are stored', async () => {
    await putArtifacts(pool, LANE, action('act_old'), [text('old.txt')]);
    await pool.query(`update artifacts set created_at = now() - interval '31 days'`);
    await putArtifacts(pool, LANE, action('act_new'), [text('new.txt')]);
    expect((await stored()).map((row) => row.name)).toEqual(['new.txt']);
  });
});

describe('a tool that makes files', () => {
  let ran: number;
  beforeEach(() => {
    ran = 0;
  });
  const parts = async (risk: Risk, files: readonly Artifact[]): Promise<GovernanceDeps> =>
    governanceOver(
      pool,
      [
        toolGroup({
          name: 'test',
          summary: 'test',
          uses: [],
          tools: {
            make: tool({
              describe: 'makes',
              hints: ['make'],
              input: z.object({}),
              risk,
              role: 'viewer',
              egress: false,
              deadlineMs: 5_000,
              replay: 'harmless',
              run: async () => {
                ran += 1;
                return withFiles({ made: files.length }, files);
              },
              phrases: { done: ({ made }) => `Made ${made}.` },
            }).from('outside'),
          },
        }),
      ],
      await shippedPolicy(),
    );
  const scope = scopeOfAda;
  const call = { actionId: 'act_1', tool: 'make', args: {}, groups: ['test'] };

  it('returns the names of its files, and keeps their bytes out of the result', async () => {
    const result = await executeCall(await parts('safe', [text('a.txt')]), scope(), call);
    expect(result).toMatchObject({ ok: true, result: { made: 1 }, say: 'Made 1.', files: [{ name: 'a.txt' }] });
    expect(JSON.stringify(result)).not.toContain('hello');
  });

  it('that changes something returns the same files on a repeated call, and runs only once', async () => {
    const { decided: _, ...first } = await executeCall(await parts('sensitive', [text('a.txt')]), scope(), call);
    const again = await executeCall(await parts('sensitive', [text('a.txt')]), scope(), call);
    expect(again).toMatchObject(first);
    expect(ran).toBe(1);
  });

  it('keeps its effect when its files are refused, and reports both', async () => {
    const result = await executeCall(await parts('sensitive', [text('a.txt', '')]), scope(), call);
    expect(result).toMatchObject({
      ok: true,
      say: 'Made 1.\n\nThe files could not be attached. a.txt is empty.',
      result: { result: { made: 1 } },
    });
    expect(result.files).toBeUndefined();
  });

  it('ends the turn when its worker has lost the lane', async () => {
    await pool.query(`update lanes set epoch = 8`);
    await expect(executeCall(await parts('safe', [text('a.txt')]), scope(), call)).rejects.toMatchObject({
      code: 'LANE_LOST',
    });
  });
});
