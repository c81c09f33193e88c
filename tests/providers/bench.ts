import type { TurnUsage } from '@signalbox/store/turns/lanes';
import { openWorkerBench, type WorkerBench } from '../support/worker.ts';
import { eventually } from '../support/until.ts';
import { startModelWire, type ModelWire, type WireRewrite, type WireScript } from '../support/model-wire.ts';

/** A worker with real clients, and servers of models that follow scripts. */
export interface ModelBench extends WorkerBench {
  /** Servers of models, closed with the bench. */
  serve(script: WireScript, rewrite?: WireRewrite): Promise<ModelWire>;
  /** Says something and answers what the person was told, once it is settled. */
  ask(text: string): Promise<readonly string[]>;
  /** The records of all turns, in order. */
  turns(): Promise<readonly { outcome: string; model: string | null; usage: TurnUsage | null; error: string | null }[]>;
}

export const PERSON = '7';

export async function openModelBench(options: Parameters<typeof openWorkerBench>[0] = {}): Promise<ModelBench> {
  const bench = await openWorkerBench(options);
  const wires: ModelWire[] = [];
  await bench.addPerson(PERSON, 'developer');
  await bench.pool.query(
    `insert into projects (name, description, owner, status, action_id) values ('shop', 'tea', '7', 'active', 'seed')`,
  );
  return {
    ...bench,
    serve: async (script, rewrite) => {
      const wire = await startModelWire(script, rewrite ? { rewrite } : {});
      wires.push(wire);
      return wire;
    },
    ask: async (text) => {
      const before = (await bench.replies(PERSON)).length;
      await bench.say(PERSON, text);
      await eventually(
        () => bench.outcomes(PERSON),
        (all) => all.every((outcome) => outcome !== null),
      );
      return (await bench.replies(PERSON)).slice(before);
    },
    turns: async () => {
      const { rows } = await bench.pool.query<Awaited<ReturnType<ModelBench['turns']>>[number]>(
        'select outcome, model, usage, error from turns order by started_at',
      );
      return rows;
    },
    close: async () => {
      await bench.close();
      for (const wire of wires) await wire.close();
    },
  };
}
