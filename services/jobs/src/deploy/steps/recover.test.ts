import { DEPLOY_TRANSITIONS, DeployState, isCancellable, isFinalState } from '@signalbox/contracts/operations/deploy';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideNextState, type RecoveryInput } from './recover.ts';

const open = DeployState.options.filter((state) => !isFinalState(state));

describe('the states of a deployment', () => {
  test('never leave a final state, cancel after the switch of traffic, or succeed without draining the old release', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 40 }), (choices) => {
        expect(faultsOf(walk(choices))).toEqual([]);
      }),
    );
  });

  test('lead from every open state to a final state', () => {
    expect(open.filter((state) => !reachable(state).some(isFinalState))).toEqual([]);
  });

  test('allow cancelling a deployment only before the switch of traffic and in the unknown state', () => {
    expect(DeployState.options.filter(isCancellable)).toEqual([
      'queued',
      'preparing',
      'building',
      'starting',
      'health_checking',
      'unknown',
    ]);
  });
});

describe('recovery of a deployment whose worker was lost', () => {
  const traces = fc.record<RecoveryInput>({
    before: fc.constantFrom(...open.filter((state) => state !== 'unknown')),
    instance: fc.constantFrom('running', 'exited', 'gone', 'none'),
    isRouted: fc.boolean(),
    isCancelRequested: fc.boolean(),
  });

  test('always chooses a state that may follow the unknown state', () => {
    fc.assert(
      fc.property(traces, (found) => {
        expect(DEPLOY_TRANSITIONS.unknown).toContain(decideNextState(found));
      }),
    );
  });

  test('never cancels or rebuilds a deployment that already receives traffic', () => {
    fc.assert(
      fc.property(traces, (found) => {
        fc.pre(found.isRouted && found.before !== 'cancelling');
        expect(['verifying', 'draining', 'failing']).toContain(decideNextState(found));
      }),
    );
  });

  test('never switches traffic directly, so that health is checked first', () => {
    fc.assert(
      fc.property(traces, (found) => {
        expect(decideNextState(found)).not.toBe('switching');
      }),
    );
  });

  test('obeys a request to cancel during a build, and ignores it when the deployment is already failing', () => {
    const found: RecoveryInput = { before: 'building', instance: 'none', isRouted: false, isCancelRequested: true };
    expect(decideNextState(found)).toBe('cancelling');
    expect(decideNextState({ ...found, before: 'failing' })).toBe('failing');
  });
});

type Move = readonly [from: DeployState, to: DeployState];

/** Builds a path through the transition table from a list of choices. */
function walk(choices: readonly number[]): readonly Move[] {
  const moves: Move[] = [];
  let state: DeployState = 'queued';
  for (const choice of choices) {
    const next: readonly DeployState[] = DEPLOY_TRANSITIONS[state];
    const to: DeployState | undefined = next[choice % Math.max(1, next.length)];
    if (to === undefined) break;
    moves.push([state, to]);
    state = to;
  }
  return moves;
}

/** Lists forbidden moves. Only from `unknown` may a deployment return to before the switch, because the proxy then reports it. */
function faultsOf(moves: readonly Move[]): readonly Move[] {
  return moves.filter(([from, to]) => {
    if (isFinalState(from)) return true;
    if (to === 'cancelling') return ['switching', 'verifying', 'draining', 'failing'].includes(from);
    if (to === 'cancelled') return from !== 'queued' && from !== 'cancelling';
    if (to === 'rolled_back' || to === 'failed') return from !== 'failing';
    return to === 'succeeded' && from !== 'draining';
  });
}

function reachable(from: DeployState): readonly DeployState[] {
  const seen = new Set<DeployState>([from]);
  for (const state of seen) for (const next of DEPLOY_TRANSITIONS[state]) seen.add(next);
  return [...seen];
}
