import { Agent, get } from 'node:http';
import { expect } from 'vitest';
import type { DeployBench, Shop } from '../integration/jobs/deploy-bench.ts';
import { appFiles } from '../support/deploy-repository.ts';
import { until } from '../support/until.ts';

const SICK = appFiles({ status: '500', file: { health: { path: '/health', withinSeconds: 2 } } });

/** The releases of a repository that the steps deploy. */
export function addReleases(shop: Shop): void {
  shop.repository.release('v1', appFiles({}));
  shop.repository.release('v2', appFiles({ build: `console.log('built');` }));
  shop.repository.release('v3', SICK);
}

/**
 * What deployments are for, from the first one that serves: another takes its place, a sick one does not, and a rollback leads back,
 * while people use the service all the time and notice nothing but the releases that serve. `id`: the beginning of the ids.
 */
export async function goThroughDeployments(bench: DeployBench, shop: Shop, id: string): Promise<void> {
  expect(await shop.serves()).toMatch(/^v1-/);
  const port = (await bench.services.find(shop))?.port ?? 0;
  const load = startUse(port);
  try {
    await until(() => load.count() > 5);
    expect(await shop.deploy(`${id}_2`, 'v2')).toContain('✅');
    expect(await shop.serves()).toMatch(/^v2-/);
    expect(await shop.deploy(`${id}_3`, 'v3')).toMatch(/❌[^]*500[^]*v2-\w{7} still serves/);
    expect(await bench.states(`${id}_3`)).not.toContain('switching');
    expect(await shop.serves()).toMatch(/^v2-/);
    const back = await shop.deploy(`${id}_4`, 'v1', { kind: 'rollback', fromArtifact: `${id}_1` });
    expect(back).toContain('✅ Rolled back');
    expect(await bench.states(`${id}_4`)).not.toContain('building');
    expect(await shop.serves()).toMatch(/^v1-/);
  } finally {
    await load.stop();
  }
  expect(load.wrong).toEqual([]);
  expect([...load.releases].toSorted()).toEqual([expect.stringMatching(/^v1-/), expect.stringMatching(/^v2-/)]);
  expect(await shop.leases()).toEqual([`instance:${id}_4`, 'staging']);
}

interface Use {
  readonly wrong: readonly string[];
  readonly releases: ReadonlySet<string>;
  count(): number;
  stop(): Promise<void>;
}

/** Clients that use a service one request after the other, half of them on connections that they keep. */
function startUse(port: number): Use {
  const wrong: string[] = [];
  const releases = new Set<string>();
  const agent = new Agent({ keepAlive: true });
  let count = 0;
  let isOver = false;
  const client = async (at: number): Promise<void> => {
    while (!isOver) {
      const path = at === 0 ? '/slow' : '/';
      const said = await ask(port, path, at % 2 === 0 ? agent : undefined);
      count += 1;
      if (/^200 v[12]-\w{7}$/.test(said)) releases.add(said.slice(4));
      else wrong.push(`${path}: ${said}`);
    }
  };
  const clients = [0, 1, 2, 3].map(client);
  return {
    wrong,
    releases,
    count: () => count,
    stop: async () => {
      isOver = true;
      await Promise.all(clients);
      agent.destroy();
    },
  };
}

/** `200 v1-3f2a9c1`, or what went wrong. */
function ask(port: number, path: string, agent: Agent | undefined): Promise<string> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path, ...(agent ? { agent } : {}), timeout: 20_000 }, (response) => {
      let body = '';
      response.on('data', (part) => (body += String(part)));
      response.once('end', () => resolve(`${response.statusCode ?? 0} ${body}`));
      response.once('error', (error) => resolve(error.message));
    });
    request.once('timeout', () => request.destroy(new Error('no answer within 20 s')));
    request.once('error', (error) => resolve(error.message));
  });
}
