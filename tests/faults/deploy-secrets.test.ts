import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { putSecrets } from '@signalbox/store/secrets';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { appFiles } from '../support/deploy-repository.ts';
import { findLeaks, readRedis, readTables, type Place } from '../support/leak-search.ts';
import { startService, type ServiceProcess } from '../support/service-process.ts';
import { TEST_CIPHER } from '../integration/jobs/bench.ts';
import { ADA, openDeployBench, type DeployBench, type Shop } from '../integration/jobs/deploy-bench.ts';

let bench: DeployBench;
let service: ServiceProcess;
beforeAll(async () => {
  bench = await openDeployBench();
  const env = bench.jobs.environment(bench.settings({ LOG_LEVEL: 'debug' }));
  service = await startService('jobs', 'deploy-secrets', env);
}, 90_000);
afterAll(async () => {
  await service.kill();
  await bench.close();
});

/** Words that nothing but the exact value gives away. */
const PASSWORD = 'Plum/Orchard+77 & rain!';
const KEY = 'first line of it, long enough\nsecond line of it, as long';

async function give(shop: Shop, name: string, value: string): Promise<void> {
  const handle = `secret:${name.toLowerCase()}`;
  const ciphertext = TEST_CIPHER.seal(value, { userKey: ADA, handle });
  await putSecrets(bench.jobs.pool, [{ userKey: ADA, handle, kind: 'password', ciphertext, keptMs: null }]);
  await bench.services.setVariable(shop, { name, value: null, secret: handle, givenBy: ADA }, `act_${name}`);
}

/** Prints a value in every way that programs do. */
const printed = (value: string): string => `
for (const text of [${value}, JSON.stringify(${value}), encodeURIComponent(${value}), Buffer.from(${value}).toString('hex'),
  Buffer.from('user:' + ${value}).toString('base64'), Buffer.from(${value}).toString('base64url'), 'x'.repeat(1995) + ${value},
  'x'.repeat(16380) + ${value}])
  console.log('it is ' + text);
`;

async function everything(): Promise<readonly Place[]> {
  const log = readFileSync(join(inject('runDir'), 'deploy-secrets.log'), 'utf8');
  return [
    ...(await readTables(bench.jobs.pool)),
    ...(await readRedis(inject('redisUrl'), bench.jobs.prefix)),
    { where: 'log of the job service', text: log },
  ];
}

describe('the secrets of a service', () => {
  it('reach its program, but no table, stream, log or message, even when the program prints them', async () => {
    const shop = await bench.shop('vault');
    await give(shop, 'PASSWORD', PASSWORD);
    await give(shop, 'KEY', KEY);
    const prints = `${printed('process.env.PASSWORD')} console.log(process.env.KEY);`;
    // The build knows none of them; somebody has written one into the repository.
    const build = printed(JSON.stringify(PASSWORD));
    shop.repository.release('v1', appFiles({ begin: prints, build, file: { requires: ['PASSWORD'] } }));
    const check = `if (process.env.PASSWORD !== ${JSON.stringify(PASSWORD)}) process.exit(9);`;
    shop.repository.release('v2', appFiles({ begin: `${check} ${prints} process.exit(4);` }));
    expect(await shop.deploy('act_v1', 'v1')).toContain('✅');
    const failed = await shop.deploy('act_v2', 'v2');
    expect(failed).toContain('exit code 4');
    expect(failed).toContain('it is [secret]');
    const lines = await bench.lines('act_v1');
    expect(lines.filter((line) => line.startsWith('it is [secret]')).length).toBeGreaterThanOrEqual(8);

    const leaks = findLeaks(await everything(), [PASSWORD, PASSWORD.slice(5), ...KEY.split('\n')]);
    expect(leaks).toEqual([]);
    // The search would find it.
    expect(findLeaks([{ where: 'here', text: `it is ${PASSWORD}` }], [PASSWORD])).toHaveLength(1);
  });

  it('that cannot be decrypted stop a deployment before it starts, and are named', async () => {
    const shop = await bench.shop('locked');
    const gone = { name: 'TOKEN', value: null, secret: 'secret:gone', givenBy: ADA };
    await bench.services.setVariable(shop, gone, 'act_gone');
    shop.repository.release('v1', appFiles({ file: { requires: ['TOKEN', 'COLOR'] } }));
    const said = await shop.deploy('act_lo', 'v1');
    expect(said).toMatch(
      /Nothing was deployed\. variables: Not set: COLOR\. Set COLOR for this environment\. secrets: TOKEN: There is no secret/,
    );
    expect(await bench.states('act_lo')).toEqual(['queued', 'preparing', 'failing', 'failed']);
  });
});
