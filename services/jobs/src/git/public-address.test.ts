import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '@signalbox/safety/public-address';
import { pinRepository } from './public-address.ts';
import { parseRepository } from './repository-address.ts';

const pin = async (address: string, found: readonly string[] | null = null, allowed: readonly string[] = []) =>
  pinRepository(
    parseRepository(address, ['/tmp'], []),
    { privateOnes: allowed, trustDir: null },
    ...(found ? [() => Promise.resolve(found.map((one) => ({ address: one })))] : []),
  );

describe('the address of a repository', () => {
  it.each([
    '127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.100.100.200', '0.0.0.0', '198.18.0.1', '224.0.0.1',
    '255.255.255.255', '::1', '::', 'fe80::1', 'fd00:ec2::254', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '64:ff9b::7f00:1', '2002:7f00:1::',
    '2001:db8::1', 'ff02::1', 'localhost',
  ])('does not count as public at the IP address %s', (ip) => expect(isPublicAddress(ip)).toBe(false)); // prettier-ignore

  it.each(['8.8.8.8', '140.82.121.4', '172.32.0.1', '2606:50c0:8000::153'])(
    'counts as public at the IP address %s',
    (ip) => expect(isPublicAddress(ip)).toBe(true),
  );

  it.each([
    'https://127.0.0.1/a.git',
    'https://2130706433/a.git',
    'https://0177.0.0.1/a.git',
    'https://0x7f.1/a.git',
    'https://[::1]/a.git',
    'https://[::ffff:127.0.0.1]/a.git',
    'https://localhost/a.git',
    'https://169.254.169.254/latest/meta-data',
    'ssh://git@127.0.0.1/a.git',
    'ssh://git@2130706433/a.git',
    'git@localhost:a.git',
    'git@127.1:a.git',
    'https://127.0.0.1\\@example.com/a.git',
  ])('%s is refused in every notation of a local address', async (address) => {
    // prettier-ignore
    await expect(pin(address)).rejects.toMatchObject({ code: 'REPOSITORY_REFUSED' });
  });

  it('is refused when one of its resolved addresses is not public', async () => {
    await expect(pin('https://rebind.example/a.git', ['8.8.8.8', '10.0.0.1'])).rejects.toMatchObject({
      code: 'REPOSITORY_REFUSED',
    });
  });

  it('is pinned to the IP address of its first DNS answer, so that a later DNS answer changes nothing', async () => {
    const https = await pin('https://example.com:8443/a.git', ['140.82.121.4']);
    expect(https.words).toContain('http.curloptResolve=example.com:8443:140.82.121.4');
    expect(https.words).toContain('http.followRedirects=false');
    const ssh = await pin('git@example.com:team/shop.git', ['140.82.121.4']);
    expect(ssh.env['GIT_SSH_COMMAND']).toContain("-o 'HostName=140.82.121.4' -o 'HostKeyAlias=example.com'");
  });

  it('may be private if an operator has allowed its host', async () => {
    expect((await pin('https://git.corp/a.git', ['10.0.0.5'], ['git.corp'])).words.join()).toContain('10.0.0.5');
  });
});
