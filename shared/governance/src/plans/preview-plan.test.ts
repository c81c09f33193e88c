import { expect, it } from 'vitest';
import type { RunnableCall } from '../calls/call.ts';
import { describeCall } from './preview-plan.ts';

/** A step that deploys this version. Casts: a preview reads no other fields. */
const deploy = (version: string, environment: string) =>
  ({
    if: 'done',
    call: {
      name: 'deploy',
      input: { version },
      tool: { resources: () => ['project:shop', `service:shop/${environment}`] },
    },
  }) as unknown as NonNullable<RunnableCall['steps']>[number];

const tools = {
  preview: ({ input }: RunnableCall) =>
    Promise.resolve({
      what: `Deploy ${(input as { version: string }).version}`,
      change: '0.9 → this',
      reach: 'its users',
      undo: 'roll back to 0.9',
    }),
};

it('a step of a plan says nothing of a state that a step before it has changed', async () => {
  const steps = [deploy('1.0', 'staging'), deploy('1.1', 'staging'), deploy('1.1', 'production')];
  const shown = await describeCall(
    { tools } as unknown as Parameters<typeof describeCall>[0],
    { steps } as unknown as RunnableCall,
  );
  expect(shown).toMatchObject({ reach: 'its users', undo: 'roll back to 0.9' });
  expect((shown as { steps: readonly string[] }).steps).toEqual([
    'Deploy 1.0 · 0.9 → this',
    'Deploy 1.1',
    'Deploy 1.1 · 0.9 → this',
  ]);
});
