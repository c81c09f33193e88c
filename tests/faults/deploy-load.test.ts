import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDeployBench, type DeployBench } from '../integration/jobs/deploy-bench.ts';
import { appFiles } from '../support/deploy-repository.ts';
import { startService, type ServiceProcess } from '../support/service-process.ts';

let bench: DeployBench;
let worker: ServiceProcess;
beforeAll(async () => {
  bench = await openDeployBench();
  worker = await startService('jobs', 'deploy-load', bench.jobs.environment(bench.settings()));
}, 120_000);
afterAll(async () => {
  await worker.kill();
  await bench.close();
});

interface Answers {
  served: number;
  /** Each release that answered, in the order of its first answer. */
  readonly releases: string[];
  readonly wrong: string[];
}

/** Clients that ask all the time until they are stopped: with and without kept connections, some for what takes long. */
function openCrowd(url: string): { stop(): Promise<Answers> } {
  const answers: Answers = { served: 0, releases: [], wrong: [] };
  const kept = new Agent({ keepAlive: true, maxSockets: 4 });
  let isOver = false;
  const ask = (path: string, agent: Agent | false): Promise<void> =>
    new Promise((resolve) => {
      const asked = request(url + path, { agent, timeout: 10_000 }, (response) => {
        let body = '';
        response.on('data', (part: Buffer) => (body += part.toString()));
        response.on('end', () => {
          const isRight = response.statusCode === 200 && /^v\d+-[0-9a-f]{7}$/.test(body);
          if (!isRight) answers.wrong.push(`${response.statusCode} ${body}`);
          else answers.served += 1;
          if (isRight && answers.releases.at(-1) !== body && !answers.releases.includes(body))
            answers.releases.push(body);
          resolve();
        });
        response.on('error', (error) => {
          answers.wrong.push(`cut: ${error.message}`);
          resolve();
        });
      });
      asked.on('timeout', () => asked.destroy(new Error('no answer in 10 s')));
      asked.on('error', (error) => {
        answers.wrong.push(error.message);
        resolve();
      });
      asked.end();
    });
  const client = async (n: number): Promise<void> => {
    for (let i = 0; !isOver; i++) await ask((i + n) % 9 === 0 ? '/slow' : '/', n % 2 === 0 ? kept : false);
  };
  const clients = Promise.all(Array.from({ length: 6 }, (_, n) => client(n)));
  return {
    stop: async () => {
      isOver = true;
      await clients;
      kept.destroy();
      return answers;
    },
  };
}

it('ten deployments, three unhealthy releases and two rollbacks under load cause no failed request', async () => {
  const shop = await bench.shop('tea');
  const sick = appFiles({ status: '500', file: { health: { path: '/health', withinSeconds: 1 } } });
  for (let n = 0; n <= 10; n++) shop.repository.release(`v${n}`, appFiles({}));
  for (const n of [91, 92, 93]) shop.repository.release(`v${n}`, sick);
  expect(await shop.deploy('act_0', 'v0')).toContain('✅');
  const port = (await bench.services.find(shop))?.port;
  const crowd = openCrowd(`http://127.0.0.1:${port}`);
  const ends: string[] = [];
  const serving: string[] = [];
  const end = async (said: string): Promise<void> => {
    ends.push([...said][0] ?? '');
    serving.push((await shop.serves()).split('-')[0] ?? '');
  };
  const back = async (id: string): Promise<string> => {
    const { deploymentId = '', ref = '' } = (await bench.deployments.before(shop)) ?? {};
    return shop.deploy(id, ref, { kind: 'rollback', fromArtifact: deploymentId });
  };
  for (let n = 1; n <= 10; n++) {
    await end(await shop.deploy(`act_${n}`, `v${n}`));
    if (n % 3 === 0) await end(await shop.deploy(`act_sick_${n}`, `v9${n / 3}`));
    if (n === 5 || n === 8) await end(await back(`act_back_${n}`));
  }
  const { served, releases, wrong } = await crowd.stop();
  expect(wrong).toEqual([]);
  expect(served).toBeGreaterThan(500);
  expect(releases.map((release) => release.split('-')[0])).toEqual(
    Array.from({ length: 11 }, (_, n) => `v${n}`), // a release that came again is not named again, and no unhealthy one is
  );
  expect(ends.join(' ')).toBe('✅ ✅ ✅ ❌ ✅ ✅ ✅ ✅ ❌ ✅ ✅ ✅ ✅ ❌ ✅');
  expect(serving.join(' ')).toBe('v1 v2 v3 v3 v4 v5 v4 v6 v6 v7 v8 v7 v9 v9 v10');
}, 180_000);
