import { describe, expect, it } from 'vitest';
import { registerServer } from './register.ts';

const riskOf = (given: object): string =>
  registerServer.risk(registerServer.input.parse({ name: 'vps-1', environment: 'staging', ...given })).risk;

describe('registering a server that Signalbox can connect to', () => {
  it.each([
    '127.0.0.1',
    '10.0.0.5',
    '192.168.1.1',
    '169.254.169.254',
    '100.100.100.200',
    '0.0.0.0',
    'fd00:ec2::254',
    'localhost',
    'metadata.google.internal',
    'vps1.example.com',
    '2130706433',
    '0177.0.0.1',
    '0x7f.1',
    '127.1',
  ])('needs the approval of another person when its host is %s', (host) => {
    expect(riskOf({ host, driver: 'ssh', user: 'deploy', key: 'secret:vps-key' })).toBe('dangerous');
  });

  it('needs no special approval when its address is public', () => {
    expect(riskOf({ host: '140.82.121.4', driver: 'ssh', user: 'deploy', key: 'secret:vps-key' })).toBe('sensitive');
  });

  it('needs no special approval when the server is only reserved, so that nothing connects to it', () => {
    expect(riskOf({ host: '10.0.0.5', cpus: 2, memoryMb: 1_024 })).toBe('sensitive');
  });
});
