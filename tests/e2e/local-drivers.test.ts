import { DriverName, getDriverTraits } from '@signalbox/contracts/operations/drivers';
import { expect, it } from 'vitest';
import { openDemoStack } from '../support/demo-stack.ts';

/** Drivers that run programs of this machine: that of the product, and in a copy of it one that was just made. */
const LOCAL = DriverName.options.filter((name) => getDriverTraits(name).isLocal && !getDriverTraits(name).runsImages);

it.each(LOCAL)(
  'a person deploys the demo to a server of the driver %s',
  async (driver) => {
    const demo = await openDemoStack();
    try {
      const { ben } = demo.people;
      await demo.stack.pool.query(`update servers set driver = $1 where name = 'local'`, [driver]);
      await demo.tell(ben, 'register the demo project', /demo/);
      await demo.tell(ben, 'deploy demo 1.0 to staging', /Deployed demo in staging/);
      expect(await demo.visit('staging')).toMatchObject({
        status: 200,
        release: expect.stringMatching(/^1\.0/) as string,
      });
      const { rows } = await demo.stack.pool.query<{ driver: string; state: string }>(
        'select driver, state from deployments',
      );
      expect(rows).toEqual([{ driver, state: 'succeeded' }]);
      expect((await demo.processes()).length).toBeGreaterThan(0);
    } finally {
      await demo.close();
    }
  },
  120_000,
);
