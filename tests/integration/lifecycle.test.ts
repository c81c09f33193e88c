import { spawnSync } from 'node:child_process';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { expect, it } from 'vitest';
import { loadTestConfig } from '../support/config.ts';

/** Runs a service of which nobody hears that a promise failed, with this text and code; it would end by itself after 300 ms with 7. */
function runWith(message: string, code: string | null): { readonly status: number | null; readonly log: string } {
  const program = `
    import { runService } from '@signalbox/platform/lifecycle';
    import { createLog } from '@signalbox/platform/log';
    import { isInfrastructureError } from '@signalbox/store/infrastructure';
    const own = { close: () => Promise.resolve() };
    await runService(createLog('worker', 'info'), async (keep) => {
      keep(own);
      void Promise.reject(Object.assign(new Error(${JSON.stringify(message)}), ${JSON.stringify(code ? { code } : {})}));
      setTimeout(() => process.exit(7), 300);
    }, isInfrastructureError);`;
  const child = spawnSync(
    process.execPath,
    ['--conditions=source', '--import', 'tsx', '--input-type=module', '--eval', program],
    { cwd: getCheckoutPath(), env: { PATH: loadTestConfig().path }, encoding: 'utf8', timeout: 60_000 },
  );
  return { status: child.status, log: child.stdout + child.stderr };
}

it('a service whose unawaited query is cut logs the error and keeps running', () => {
  const { status, log } = runWith('terminating connection due to administrator command', '57P01');
  expect(status).toBe(7);
  expect(log).toMatch(/"level":"error".*unhandled rejection/);
});

it('a service stops on an unexpected unhandled rejection', () => {
  const { status, log } = runWith('x is not a function', null);
  expect(status).toBe(1);
  expect(log).toMatch(/"level":"error".*unhandled rejection/);
});
