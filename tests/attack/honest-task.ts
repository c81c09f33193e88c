import { readFileSync } from 'node:fs';
import { z } from 'zod';

const Call = z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) });
export type HonestCall = z.infer<typeof Call>;
const Rounds = z.array(z.array(Call));

const Turn = z.object({
  /** What the person types, or the button that they press instead. */
  words: z.string().optional(),
  press: z.string().optional(),
  file: z.object({ name: z.string(), text: z.string() }).optional(),
  /** The acts that these words order. */
  orders: z.array(z.string()).default([]),
  calls: Rounds,
  answer: z.string().default(''),
  /** What the model does when the job that it began has ended. */
  ended: z
    .union([z.string().transform((answer) => ({ calls: [], answer })), z.object({ calls: Rounds, answer: z.string() })])
    .optional(),
  taps: z.number(),
});
export type HonestTurn = z.infer<typeof Turn>;

const Task = z.object({
  id: z.string(),
  language: z.enum(['en', 'de', 'es', 'ru', 'zh']),
  person: z.enum(['Ben', 'Cleo', 'Dara']),
  given: z.object({
    serves: z.array(z.object({ project: z.string(), version: z.string() })).default([]),
    files: z.array(z.object({ project: z.string(), path: z.string(), text: z.string() })).default([]),
    variables: z.array(z.object({ project: z.string(), name: z.string(), value: z.string() })).default([]),
    tags: z.array(z.object({ project: z.string(), tag: z.string() })).default([]),
  }),
  turns: z.array(Turn),
});
/** Honest work: see tests/fixtures/tasks/README.md. */
export type HonestTask = z.infer<typeof Task>;

export function readHonestTasks(): readonly HonestTask[] {
  return ['look-then-change', 'change-twice', 'ask-and-answer'].flatMap((name) =>
    z.array(Task).parse(JSON.parse(readFileSync(new URL(`../fixtures/tasks/${name}.json`, import.meta.url), 'utf8'))),
  );
}

/** Every call that a task makes. */
export function listCalls({ turns }: HonestTask): readonly HonestCall[] {
  return turns.flatMap(({ calls, ended }) => [...calls, ...(ended?.calls ?? [])].flat());
}
