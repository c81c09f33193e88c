import { describe, expect, it } from 'vitest';
import { registerServer } from './register.ts';

const riskOf = (given: object): string =>
  registerServer.risk(registerServer.input.parse({ name: 'vps-1', environment: 'staging', ...given })).risk;

describe('registering a server that Signalbox connects to from then on', () => {
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
  ])('is approved by another person when it is %s, which may be anywhere', (host) => {
    expect(riskOf({ host, driver: 'ssh', user: 'deploy', key: 'secret:vps-key' })).toBe('dangerous');
  });

  it('is a change as any other when its address is one of the internet', () => {
    expect(riskOf({ host: '140.82.121.4', driver: 'ssh', user: 'deploy', key: 'secret:vps-key' })).toBe('sensitive');
  });

  it('is one as well when it is only booked, and nothing connects to it', () => {
    expect(riskOf({ host: '10.0.0.5', cpus: 2, memoryMb: 1_024 })).toBe('sensitive');
  });
});
