import { AIMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { AppError } from '@signalbox/contracts/errors';
import type { ScriptedAnswer } from '../../support/scripted-model.ts';
import plans from '@signalbox/worker/capabilities/plans';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { eventually } from '../../support/until.ts';
import { checkReplay } from '../../support/replay-check.ts';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

// What the runtime looks up for a question or a call of a model, before anybody sees it.

const call = (name: string, args: Record<string, unknown> = {}): ScriptedAnswer => ({ toolCalls: [{ name, args }] });

let bench: WorkerBench;
let shipped: string[];
let looks: number;
/** What there is; null: the place where it is looked for does not answer. */
let versions: readonly string[] | null;
const parcels = toolGroup({
  name: 'parcels',
  summary: 'Parcels.',
  uses: [],
  tools: {
    ship_parcel: tool({
      describe: 'Ship a parcel.',
      hints: ['ship the parcel'],
      input: z.object({ parcel: z.string(), version: z.string().meta({ ask: 'Which version?' }) }),
      choices: {
        version: {
          list: ({ parcel }) => {
            looks += 1;
            if (!versions) throw new AppError('CONFLICT', { detail: 'nobody answers' });
            return Promise.resolve(parcel === 'p1' ? versions : []);
          },
          has: (_given, name) => Promise.resolve(versions?.includes(name) ?? false),
        },
      },
      risk: 'sensitive',
      role: 'developer',
      egress: false,
      deadlineMs: 5_000,
      replay: 'harmless',
      run: ({ version }) => {
        shipped.push(version);
        return Promise.resolve({ version });
      },
      phrases: { done: ({ version }) => `Shipped ${version}.` },
    }).from('outside'),
  },
});
const question = call('respond_to_user', {
  message: 'Which version?',
  awaiting_response: true,
  asks: { tool: 'ship_parcel', argument: 'version', arguments: { parcel: 'p1' } },
});
let seen: readonly BaseMessage[];

beforeEach(async () => {
  [shipped, looks, versions, seen] = [[], 0, ['2.0', '1.0'], []];
  bench = await openWorkerBench();
  await bench.addPerson('7', 'developer');
  await bench.startWorker({
    wiring: { groups: [parcels, plans] },
    script: (messages, tools) => {
      if (tools.some((one) => one.name === 'classify_intent'))
        return call('classify_intent', { task_summary: 't', capabilities: ['parcels', 'plans'], project: null });
      seen = messages;
      if (ToolMessage.isInstance(messages.at(-1))) return { content: 'done' };
      const text = messages.at(-1)?.text ?? '';
      if (text === 'ship') return question;
      const ship = (version: string) => ({ tool: 'ship_parcel', args: { parcel: 'p1', version } });
      if (text === 'both') return call('propose_plan', { steps: [ship('latest'), ship('1.0')] });
      if (text === 'swap') return call('ship_parcel', { parcel: 'obey-me-now', version: '1.0' });
      return call('ship_parcel', ship(text).args);
    },
  });
});
afterEach(() => bench.close());

const buttons = async (): Promise<unknown> =>
  (await bench.pool.query(`select body -> 'buttons' as buttons from outbox order by id desc limit 1`)).rows[0];
const settled = async (count: number): Promise<unknown> =>
  eventually(
    () => bench.outcomes('7'),
    (outcomes) => outcomes.length === count && outcomes.every((one) => one !== null),
  );

it('a question of a model gets the choices of the tool as buttons, and the turn replays the same', async () => {
  await bench.say('7', 'ship');
  await settled(1);
  const offered = [
    { label: '2.0', value: '2.0' },
    { label: '1.0', value: '1.0' },
  ];
  expect(await buttons()).toEqual({ buttons: offered });
  await bench.say('7', '1.0');
  await settled(2);
  expect(shipped).toEqual(['1.0']);
  expect(seen.findLast(AIMessage.isInstance)?.tool_calls?.[0]?.args).toMatchObject({ version: '1.0' });
  expect(seen.find(AIMessage.isInstance)?.tool_calls?.[0]?.args).toMatchObject({ choices: offered });
  expect(looks).toBe(1);
  await checkReplay(bench.pool, [parcels, plans]);
});

it('a choice that the runtime offered counts for its own argument only, because others name the versions', async () => {
  versions = ['obey-me-now', '1.0'];
  await bench.say('7', 'ship');
  await settled(1);
  await bench.say('7', 'swap');
  await settled(2);
  expect(shipped).toEqual([]);
  const { rows } = await bench.pool.query('select status from approvals');
  expect(rows).toEqual([{ status: 'pending' }]);
});

it('a question has no buttons when the tool cannot list the choices', async () => {
  versions = null;
  await bench.say('7', 'ship');
  await settled(1);
  expect(await bench.replies('7')).toEqual(['Which version?']);
  expect(await buttons()).toEqual({ buttons: [] });
});

it('the argument “newest” of a model is replaced by the first choice, in the call and in its record', async () => {
  await bench.say('7', 'Newest');
  await settled(1);
  await bench.say('7', 'die neueste');
  await settled(2);
  const { rows } = await bench.pool.query('select arguments from actions order by proposed_at');
  expect([shipped, rows[0]]).toEqual([['2.0', '2.0'], { arguments: { parcel: 'p1', version: '2.0' } }]);
  await checkReplay(bench.pool, [parcels, plans]);
});

it('the argument “latest” of a step is replaced like that of a call', async () => {
  await bench.say('7', 'both');
  await settled(1);
  expect(shipped).toEqual(['2.0', '1.0']);
});

it('the argument “newest” is not replaced when a branch has that name', async () => {
  versions = ['2.0', 'newest'];
  await bench.say('7', 'newest');
  await settled(1);
  expect([shipped, looks]).toEqual([['newest'], 0]);
});
