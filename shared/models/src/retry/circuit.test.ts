import { describe, expect, it } from 'vitest';
import { createCircuit } from './circuit.ts';

const PAUSE_MS = 30_000;

describe('a circuit breaker', () => {
  const open = () => {
    let nowMs = 1_000;
    const circuit = createCircuit(() => nowMs);
    return { circuit, wait: (ms: number) => (nowMs += ms) };
  };

  it('allows every call before the first failure', () => {
    const { circuit } = open();
    expect([circuit.mayTry(), circuit.mayTry()]).toEqual([true, true]);
  });

  it('blocks calls for 30 s after a failure, then allows one trial call', () => {
    const { circuit, wait } = open();
    circuit.failed();
    expect(circuit.mayTry()).toBe(false);
    wait(PAUSE_MS - 1);
    expect(circuit.mayTry()).toBe(false);
    wait(1);
    expect([circuit.mayTry(), circuit.mayTry(), circuit.mayTry()]).toEqual([true, false, false]);
  });

  it('allows all calls again when the trial call succeeds', () => {
    const { circuit, wait } = open();
    circuit.failed();
    wait(PAUSE_MS);
    circuit.mayTry();
    circuit.succeeded();
    expect([circuit.mayTry(), circuit.mayTry()]).toEqual([true, true]);
  });

  it('blocks calls again when the trial call fails', () => {
    const { circuit, wait } = open();
    circuit.failed();
    wait(PAUSE_MS);
    circuit.mayTry();
    wait(PAUSE_MS / 2);
    circuit.failed();
    wait(PAUSE_MS - 1);
    expect(circuit.mayTry()).toBe(false);
  });

  it('allows another trial call when the first one reports no result', () => {
    const { circuit, wait } = open();
    circuit.failed();
    wait(PAUSE_MS);
    expect(circuit.mayTry()).toBe(true);
    wait(PAUSE_MS);
    expect(circuit.mayTry()).toBe(true);
  });
});
