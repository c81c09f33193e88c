import { executeCall } from '@signalbox/governance/action-run';
import type { ToolSpec } from '@signalbox/worker/tools/tool';
import { describe, expect, it } from 'vitest';
import { useCallBench, type Input } from './call-bench.ts';

describe('a tool call', () => {
  const { ran, parts, scope, call, ledger, leaveStarted, query } = useCallBench();

  describe('whose result was lost', () => {
    const lost = async (probe: NonNullable<ToolSpec<typeof Input, unknown>['probe']>) => {
      const one = call();
      await leaveStarted(one.actionId);
      const result = await executeCall(parts({ replay: 'unknown', probe }), scope(), one);
      return { result, ledger: await ledger(one.actionId) };
    };

    it('is recorded as done without a second run when the probe finds its effect', async () => {
      const { result, ledger: row } = await lost(() => Promise.resolve({ kind: 'done', output: { did: 'x' } }));
      expect(result).toMatchObject({ ok: true, say: 'Did x.', changed: true });
      expect([ran, row]).toEqual([[], [{ status: 'done', error_code: null }]]);
    });

    it('runs now when the probe does not find its effect', async () => {
      const { result, ledger: row } = await lost(() => Promise.resolve({ kind: 'not-done' }));
      expect(result).toMatchObject({ ok: true, say: 'Did x.' });
      expect([ran, row]).toEqual([['x'], [{ status: 'done', error_code: null }]]);
    });

    it.each([
      ['cannot tell', () => Promise.resolve({ kind: 'unknown' as const })],
      ['does not answer', () => Promise.reject(new Error('the target is away'))],
    ])('has an unknown outcome, and does not run, when the probe of its target %s', async (_, probe) => {
      const { result, ledger: row } = await lost(probe);
      expect(result).toMatchObject({ ok: false, code: 'TOOL_OUTCOME_UNKNOWN' });
      expect([ran, row]).toEqual([[], [{ status: 'unknown', error_code: 'TOOL_OUTCOME_UNKNOWN' }]]);
    });
  });

  it.each([
    ['is done', { kind: 'done' as const, output: { did: 'x' } }, 'done', null],
    ['was not done', { kind: 'not-done' as const }, 'failed', 'TOOL_NOT_DONE'],
    ['cannot be told', { kind: 'unknown' as const }, 'unknown', 'TOOL_OUTCOME_UNKNOWN'],
  ])(
    'that had started before an approval was required is probed without an approval request: its effect %s',
    async (_, found, status, code) => {
      const one = call();
      await leaveStarted(one.actionId);
      const asks = parts({ risk: 'dangerous', probe: () => Promise.resolve(found) });
      const result = await executeCall(asks, scope(), one);
      expect(result).toMatchObject({ ok: status === 'done', code });
      expect(result.decided?.decision.effect).not.toBe('run');
      expect([ran, await ledger(one.actionId)]).toEqual([[], [{ status, error_code: code }]]);
      expect((await query('select 1 from approvals where action_id = $1', [one.actionId])).rowCount).toBe(0);
    },
  );

  it('whose answer was lost after its effect is reported as done', async () => {
    const one = call();
    const lost = parts({
      run: () => Promise.reject(new Error('Connection terminated unexpectedly')),
      probe: () => Promise.resolve({ kind: 'done', output: { did: 'x' } }),
    });
    expect(await executeCall(lost, scope(), one)).toMatchObject({ ok: true, say: 'Did x.' });
    expect(await ledger(one.actionId)).toEqual([{ status: 'done', error_code: null }]);
  });

  it('that two outages interrupted is not failed: the turn is returned to the queue, and the call runs later', async () => {
    const one = call();
    const probe = () => Promise.resolve({ kind: 'not-done' as const });
    const run = () => Promise.reject(new Error('Connection terminated unexpectedly'));
    await expect(executeCall(parts({ run, probe }), scope(), one)).rejects.toThrow('Connection terminated');
    expect(await ledger(one.actionId)).toEqual([{ status: 'started', error_code: null }]);
    expect(await executeCall(parts({ probe }), scope(), one)).toMatchObject({ ok: true, say: 'Did x.' });
    expect([ran, await ledger(one.actionId)]).toEqual([['x'], [{ status: 'done', error_code: null }]]);
  });

  describe('that was cut off before its effect and is repeated', () => {
    const cutOff = async (spec: Parameters<typeof parts>[0], given = scope()) => {
      const one = call();
      const broken = { ...spec, run: () => Promise.reject(new Error('Connection terminated unexpectedly')) };
      await expect(executeCall(parts(broken), given, one)).rejects.toThrow('Connection terminated');
      expect(await ledger(one.actionId)).toEqual([{ status: 'started', error_code: null }]);
      return one;
    };
    const probe = () => Promise.resolve({ kind: 'not-done' as const });

    it('runs, although the conversation has read outside text in the meantime', async () => {
      const spec = { probe };
      const view = {
        made: [],
        ask: () => Promise.resolve({ asked: false, model: 'test:reader', prompt: null }),
      };
      const given = () => scope({ threadId: 'user_1_80' });
      const one = await cutOff(spec, given());
      const result = await executeCall(parts(spec), given(), { ...one, view });
      expect(result).toMatchObject({ ok: true, say: 'Did x.', decided: { decision: { effect: 'run' } } });
      expect([ran, await ledger(one.actionId)]).toEqual([['x'], [{ status: 'done', error_code: null }]]);
      // Nobody asked for the next one, so a person is asked.
      const next = await executeCall(parts(spec), given(), { ...call(), view });
      expect(next.decided?.decision.effect).toBe('confirm');
    });

    it('does not run when policy would now require an approval, and no approval is requested', async () => {
      const one = await cutOff({ probe });
      const result = await executeCall(parts({ probe, risk: 'dangerous' }), scope(), one);
      expect(result).toMatchObject({ ok: false, code: 'TOOL_NOT_DONE' });
      expect([ran, await ledger(one.actionId)]).toEqual([[], [{ status: 'failed', error_code: 'TOOL_NOT_DONE' }]]);
    });

    it('does not run after an admin has declared a freeze', async () => {
      const one = await cutOff({ probe });
      await query(`insert into settings (key, value) values ('freeze', '{}')`);
      const result = await executeCall(parts({ probe }), scope(), one);
      await query(`delete from settings where key = 'freeze'`);
      expect(result).toMatchObject({ ok: false, code: 'TOOL_NOT_DONE' });
      expect([ran, await ledger(one.actionId)]).toEqual([[], [{ status: 'failed', error_code: 'TOOL_NOT_DONE' }]]);
    });
  });

  it('whose answer was lost has an unknown outcome when its tool has no probe', async () => {
    const one = call();
    const lost = parts({ run: () => Promise.reject(new Error('Connection terminated unexpectedly')) });
    expect(await executeCall(lost, scope(), one)).toMatchObject({ code: 'TOOL_OUTCOME_UNKNOWN' });
    expect(await ledger(one.actionId)).toEqual([{ status: 'unknown', error_code: 'TOOL_OUTCOME_UNKNOWN' }]);
  });
});
