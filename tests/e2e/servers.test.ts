import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../support/person.ts';
import { newSshKey, openSshLogin, type SshLogin } from '../support/ssh-login.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/until.ts';

describe('a server that is reached by ssh', () => {
  let stack: Stack;
  let login: SshLogin;
  let cleo: Person;
  let dara: Person;

  beforeAll(async () => {
    login = await openSshLogin();
    stack = await openStack({ jobs: true, env: { TARGETS_DIR: makeTemporaryFolder('targets') } });
    cleo = await stack.person(1003, 'operator');
    dara = await stack.person(1004, 'operator');
    await dara.ask('hello');
  });
  afterAll(async () => {
    await stack.close();
    await login.close();
  });

  it('is used with the key of its owner after another person approved its host key', async () => {
    await cleo.ask(`/secret set vps-key ${newSshKey()}`);
    const wish = `register the server vps-1, host 127.0.0.1, for staging, driver ssh, user deploy, key secret:vps-key, ssh port ${login.port}`;
    expect((await cleo.ask(wish)).join('\n')).toContain('needs approval');
    // By an address that is not public Signalbox would reach this machine: nothing connects before another person has looked.
    await eventually(
      () => dara.heard(),
      (heard) => heard.some(({ text }) => text.includes('Its host is not a public IP address')),
    );
    expect(login.connections).toBe(0);
    await dara.click('Approve');
    await cleo.waitFor(new RegExp(`it shows the host key ${login.fingerprint.replace(/[+/]/g, '\\$&')}, which nobody`));

    const asked = await cleo.ask(`trust the host key ${login.fingerprint} of vps-1`);
    expect(asked.join('\n')).toContain('needs approval');
    await eventually(
      () => dara.heard(),
      (heard) => heard.some(({ text }) => text.includes(`Trust the host key ${login.fingerprint} of vps-1`)),
    );
    expect(login.logins).toBe(0);
    await dara.click('Approve');
    await cleo.waitFor(/vps-1 is trusted with the host key SHA256:/);

    const found = await cleo.ask('inspect the server vps-1');
    expect(found.join('\n')).toContain('the socket /var/run/docker.sock cannot be opened by deploy');
    expect(login.logins).toBeGreaterThan(0);
    const { rows } = await stack.pool.query<{ purpose: string }>(
      `select data ->> 'purpose' as purpose from audit_events where kind = 'secret.used'`,
    );
    expect(rows.map(({ purpose }) => purpose)).toContain('log in to vps-1');
  });
});
