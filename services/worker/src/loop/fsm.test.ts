import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitPhasesByCall, createPhaseMachine, PHASES, TRANSITIONS, type Phase } from './fsm.ts';

const walk = (...phases: Phase[]): readonly Phase[] => {
  const machine = createPhaseMachine();
  for (const phase of phases) machine.to(phase);
  return machine.path();
};

const attempt = (step: () => void): 'taken' | 'refused' => {
  try {
    step();
    return 'taken';
  } catch {
    return 'refused';
  }
};

describe('the state machine of a turn', () => {
  it('follows its transition table, also after policy refused a call', () => {
    expect(
      walk('THINKING', 'PROPOSING', 'GOVERNING', 'EXECUTING', 'OBSERVING', 'EVALUATING', 'THINKING', 'TERMINAL'),
    ).toHaveLength(9);
    expect(
      walk('THINKING', 'PROPOSING', 'GOVERNING', 'OBSERVING', 'GOVERNING', 'EXECUTING', 'OBSERVING', 'EVALUATING'),
    ).toHaveLength(9);
  });

  it('skips GOVERNING for calls that cannot run', () => {
    const [only, both] = [
      ['OBSERVING', 'EVALUATING'],
      ['OBSERVING', 'GOVERNING', 'EXECUTING', 'OBSERVING', 'EVALUATING'],
    ] as const;
    expect(walk('THINKING', 'PROPOSING', ...only)).not.toContain('GOVERNING');
    expect(splitPhasesByCall(walk('THINKING', 'PROPOSING', ...both))).toEqual([
      ['OBSERVING'],
      ['GOVERNING', 'EXECUTING', 'OBSERVING'],
    ]);
  });

  it('may begin with the answer of an earlier run, or with a decision about an earlier proposal', () => {
    expect(walk('PROPOSING', 'OBSERVING', 'EVALUATING')).toHaveLength(4);
    expect(walk('GOVERNING', 'EXECUTING')).toHaveLength(3);
  });

  it('reaches EXECUTING only from GOVERNING, and leaves TERMINAL for no state', () => {
    expect(PHASES.filter((phase) => TRANSITIONS[phase].includes('EXECUTING'))).toEqual(['GOVERNING']);
    expect(() => walk('THINKING', 'PROPOSING', 'EXECUTING')).toThrow(/cannot go from PROPOSING to EXECUTING/);
    expect(() => walk('THINKING', 'TERMINAL', 'THINKING')).toThrow(/nowhere/);
  });

  it('never takes a transition that is not in the table', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PHASES), { maxLength: 40 }), (steps) => {
        const machine = createPhaseMachine();
        for (const step of steps) {
          const before = machine.phase();
          const legal = TRANSITIONS[before].includes(step);
          const outcome = attempt(() => machine.to(step));
          expect([outcome, machine.phase()]).toEqual(legal ? ['taken', step] : ['refused', before]);
        }
      }),
    );
  });
});
