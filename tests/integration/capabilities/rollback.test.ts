import { describe, expect, it } from 'vitest';
import { bench, deployed, rows, setState, STAGING, useDeployBench } from './deploy-bench.ts';

useDeployBench();

describe('rolling back a deployment', () => {
  it('starts the previous release, and shows this release to approvers', async () => {
    const first = await deployed('1.0');
    await deployed('1.1');
    expect(await bench.preview('rollback_deploy', STAGING)).toMatchObject({
      what: 'Roll demo in staging back to 1.0',
      change: '`1.1.0-abc1234` → `1.0.0-abc1234`, which is still stored and only has to start',
    });
    const { said } = await bench.call('rollback_deploy', STAGING, { actionId: 'act_r' });
    expect(said).toContain('Rolling staging back to **demo 1.0**');
    expect((await rows()).at(-1)).toEqual({ id: 'act_r', kind: 'rollback', ref: '1.0', state: 'queued', from: first });
  });

  it('starts the version that the request names', async () => {
    const first = await deployed('1.0');
    await deployed('1.1');
    await deployed('2.0');
    await bench.call('rollback_deploy', { ...STAGING, to_version: '1.0' }, { actionId: 'act_r' });
    expect((await rows()).at(-1)).toMatchObject({ ref: '1.0', from: first });
  });

  it('is refused with the running deployment when there is no earlier release', async () => {
    await deployed('1.0');
    await bench.call('trigger_deploy', { ...STAGING, version: '1.1' }, { actionId: 'act_under_way' });
    const sentence = /requested a deployment of 1\.1/;
    await expect(bench.preview('rollback_deploy', STAGING)).rejects.toThrow(sentence);
    await expect(bench.call('rollback_deploy', STAGING)).rejects.toThrow(sentence);
  });

  it('keeps the version that an earlier run of the call has chosen', async () => {
    await deployed('1.0');
    await deployed('1.1');
    await bench.call('rollback_deploy', STAGING, { actionId: 'act_r' });
    await setState('act_r', 'succeeded', '1.0.0-abc1234');
    const { said } = await bench.call('rollback_deploy', STAGING, { actionId: 'act_r' });
    expect(said).toContain('**demo 1.0**');
    expect(await rows()).toHaveLength(3);
  });

  it('to the release that serves again after a rollback is refused, because it serves already', async () => {
    await deployed('1.0');
    await deployed('1.1');
    await bench.call('rollback_deploy', STAGING, { actionId: 'act_r' });
    await setState('act_r', 'succeeded', '1.0.0-abc1234');
    const args = { ...STAGING, to_version: '1.0.0-abc1234' };
    await expect(bench.preview('rollback_deploy', args)).rejects.toThrow(/1\.0\.0-abc1234 of demo already serves/);
  });

  it.each([
    [
      undefined,
      /nothing to roll back to: 1\.0\.0-abc1234 serves, and no other release of demo served in staging before it/,
    ],
    ['9.9', /no version of demo that has served in staging named 9\.9\. Known: 1\.0/],
    ['1.0', /1\.0 of demo already serves in staging/],
  ])('to %j is refused with the reason when there is no such release', async (version, sentence) => {
    await deployed('1.0');
    const args = { ...STAGING, ...(version ? { to_version: version } : {}) };
    await expect(bench.call('rollback_deploy', args)).rejects.toThrow(sentence);
    await expect(bench.preview('rollback_deploy', args)).rejects.toThrow(sentence);
  });
});
