import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appFiles } from '../support/deploy-repository.ts';
import { eventually } from '../support/until.ts';
import { ADA, openDeployBench, type DeployBench } from '../integration/jobs/deploy-bench.ts';

/** Whoever cancels their own deployment is told by the tool; the end of the run is for the others. */
const CLEO = '1003';

let bench: DeployBench;
beforeAll(async () => {
  bench = await openDeployBench();
  await bench.jobs.startService(
    bench.settings({ DEPLOY_BUILD_MINUTES: '0.1', DEPLOY_STALL_MINUTES: '0.03', JOBS_CONCURRENCY: '8' }),
  );
});
afterAll(() => bench.close());

/** Processes whose command line holds this word. */
function processesWith(word: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word);
    } catch {
      return false;
    }
  });
}

/** A build that says that it has begun, starts a child, and goes on for a minute; it computes so as not to look stalled. */
const longBuild = (word: string): string => `
import { spawn } from 'node:child_process';
spawn('sleep', ['61.${word}'], { stdio: 'ignore' });
console.log('the build has begun');
setInterval(() => { for (let i = 0, end = Date.now() + 30; Date.now() < end;) i += 1; console.log('on it'); }, 100);
`;

describe('cancelling a deployment', () => {
  it('ends the processes of a build before the deployment is reported as cancelled', async () => {
    const shop = await bench.shop('canceller');
    shop.repository.release('v1', appFiles({ build: longBuild('7318431') }));
    await shop.ask('act_c1', 'v1');
    await eventually(
      () => bench.lines('act_c1'),
      (lines) => lines.includes('the build has begun'),
    );
    expect(processesWith('7318431')).not.toEqual([]);
    expect(await bench.deployments.cancel('act_c1', CLEO, 'act_cancel')).toEqual({ accepted: true, state: 'building' });
    await bench.reaches('act_c1', 'cancelled', 'succeeded', 'failed');
    expect(processesWith('7318431')).toEqual([]);
    expect(await bench.told('act_c1')).toMatch(/⏹ Cancelled the deployment of \*\*canceller\*\* in staging/);
    expect(await bench.deployments.events('act_c1')).toContainEqual(
      expect.objectContaining({ from: 'building', to: 'cancelling', actor: CLEO }),
    );
    // The service is free for the next one.
    shop.repository.release('v2', appFiles({}));
    expect(await shop.deploy('act_c2', 'v2')).toContain('✅');
  });

  it('is refused once the traffic was switched to the new release', async () => {
    const shop = await bench.shop('latecomer');
    shop.repository.release('v1', appFiles({}));
    // After the switch the health path is slow, so that there is time to ask.
    shop.repository.release('v2', appFiles({ file: { health: { path: '/slow-health', withinSeconds: 9 } } }));
    await shop.deploy('act_r1', 'v1');
    await shop.ask('act_r2', 'v2');
    const state = await bench.reaches('act_r2', 'verifying', 'draining');
    expect(await bench.deployments.cancel('act_r2', ADA, 'act_cancel2')).toEqual({ accepted: false, state });
    expect(await bench.told('act_r2')).toContain('✅');
  });

  it('ends a deployment that has not started at once, and its run too', async () => {
    const shop = await bench.shop('early');
    shop.repository.release('v1', appFiles({}));
    await bench.deployments.request({
      ...shop,
      deploymentId: 'act_q1',
      kind: 'deploy',
      ref: 'v1',
      server: null,
      fromArtifact: null,
      userKey: ADA,
      threadId: 'thr_1',
    });
    expect(await bench.deployments.cancel('act_q1', ADA, 'act_cancel3')).toEqual({
      accepted: true,
      state: 'cancelled',
    });
    expect(await bench.states('act_q1')).toEqual(['queued', 'cancelled']);
  });
});

describe('a build', () => {
  it('that writes no output and uses no processor is ended as stalled', async () => {
    const shop = await bench.shop('staller');
    shop.repository.release('v1', appFiles({ build: `console.log('Really? [y/n]'); setTimeout(() => {}, 60_000);` }));
    const said = await shop.deploy('act_st', 'v1');
    expect(said).toContain('The step building wrote nothing and used no processor for 2 s, so it was stopped.');
    expect(said).toContain('Really? [y/n]');
  });

  it('that exceeds its deadline is stopped', async () => {
    const shop = await bench.shop('slow');
    shop.repository.release('v1', appFiles({ build: longBuild('7318432') }));
    expect(await shop.deploy('act_sl', 'v1')).toContain('The step building did not end within 6 s, so it was stopped.');
    expect(processesWith('7318432')).toEqual([]);
  });
});

describe('twenty people who request the same deployment at once', () => {
  it('start one deployment, and the others read who requested it and when', async () => {
    const shop = await bench.shop('crowd');
    shop.repository.release('v1', appFiles({}));
    const all = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => shop.ask(`act_t${i}`, 'v1')));
    const refusals = all.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    expect(refusals).toHaveLength(19);
    for (const refusal of refusals) expect(refusal).toMatch(/crowd in staging is busy: Ada requested .* [\d.]+ s ago/);
    const granted = all.findIndex((one) => one.status === 'fulfilled');
    expect(await bench.told(`act_t${granted}`)).toContain('✅');
  });
});
