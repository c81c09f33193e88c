import { createLog } from '@signalbox/platform/log';
import { expect, it } from 'vitest';
import { createJobContext, type Execution } from './job-context.ts';
import type { SecretUse } from './open-secret.ts';
import { createOpenedSecrets } from './opened-secrets.ts';

const HANDLE = 'secret:db-password';

/** What a handler asks of the opener, when it opens the secret of 1002. */
async function askFor(execution: Pick<Execution, 'job' | 'owner'>): Promise<SecretUse | undefined> {
  const uses: SecretUse[] = [];
  const unused = () => Promise.reject(new Error('not asked for here'));
  const openSecret = (use: SecretUse): Promise<string> => {
    uses.push(use);
    return Promise.resolve('value');
  };
  const context = createJobContext(
    { runs: { report: unused, tell: unused }, openSecret, notify: unused },
    { runId: 'run_1', attempt: 1, run: null, payload: {}, log: createLog('test', 'silent'), ...execution },
    {
      signal: new AbortController().signal,
      opened: createOpenedSecrets(),
      lost: () => undefined,
      sign: () => undefined,
    },
  );
  await context.openSecret(HANDLE, 'start shop', '1002');
  return uses[0];
}

it('a deployment decrypts the secrets of other people for the service, and records the deploying person as the actor', async () => {
  const owner = { userKey: '1001', threadId: 'user_1001_1' };
  expect(await askFor({ job: 'deploy.run', owner })).toMatchObject({ actor: '1001', owner: '1002', runId: 'run_1' });
});

it('a scheduled job decrypts the keys of servers with the system as the actor', async () => {
  expect(await askFor({ job: 'services.watch', owner: null })).toMatchObject({ actor: 'system', owner: '1002' });
});

it('a job other than a deployment is refused when it decrypts a secret of a named owner', async () => {
  await expect(askFor({ job: 'knowledge.index', owner: null })).rejects.toThrow('Leave the owner out.');
});
