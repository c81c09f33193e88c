import { describe, expect, it } from 'vitest';
import { createCircuit } from './circuit.ts';

const PAUSE_MS = 30_000;

describe('the circuit of a model', () => {
  const open = () => {
    let nowMs = 1_000;
    const circuit = createCircuit(() => nowMs);
    return { circuit, wait: (ms: number) => (nowMs += ms) };
  };

  it('lets everybody through until something fails', () => {
    const { circuit } = open();
    expect([circuit.mayTry(), circuit.mayTry()]).toEqual([true, true]);
  });

  it('lets no call through for a while after a failure, then one', () => {
    const { circuit, wait } = open();
    circuit.failed();
    expect(circuit.mayTry()).toBe(false);
    wait(PAUSE_MS - 1);
    expect(circuit.mayTry()).toBe(false);
    wait(1);
    expect([circuit.mayTry(), circuit.mayTry(), circuit.mayTry()]).toEqual([true, false, false]);
  });

  it('is as it was when that one succeeds', () => {
    const { circuit, wait } = open();
    circuit.failed();
    wait(PAUSE_MS);
    circuit.mayTry();
    circuit.succeeded();
    expect([circuit.mayTry(), circuit.mayTry()]).toEqual([true, true]);
  });

  it('pauses again when that one fails', () => {
    const { circuit, wait } = open();
    circuit.failed();
    wait(PAUSE_MS);
    circuit.mayTry();
    wait(PAUSE_MS / 2);
    circuit.failed();
    wait(PAUSE_MS - 1);
    expect(circuit.mayTry()).toBe(false);
  });

  it('lets another one through when that one never says how it went', () => {
    const { circuit, wait } = open();
    circuit.failed();
    wait(PAUSE_MS);
    expect(circuit.mayTry()).toBe(true);
    wait(PAUSE_MS);
    expect(circuit.mayTry()).toBe(true);
  });
});
