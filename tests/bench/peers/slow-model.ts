import { setTimeout as sleep } from 'node:timers/promises';
import { serveModel, type ModelAnswer, type ModelServer } from '../../support/model-server.ts';
import { ANSWER_MARK } from './model-script.ts';

/** What a person writes for turns whose model takes this long: the model reads its orders from the text. */
export function textOfSlow(
  n: number,
  { seconds, calls = 1 }: { readonly seconds: number; readonly calls?: number },
): string {
  return `wait ${seconds} s ${calls} times, number ${n}`;
}

/** The pieces in which the answer is written, a word each. */
const PIECES = `${ANSWER_MARK} ${'lorem ipsum dolor sit amet '.repeat(6)}`.match(/\S+\s*/g) ?? [];

export interface SlowModel extends ModelServer {
  /** Requests since the last time that this was asked; each is one that a provider bills. */
  takeRequests(): number;
}

/**
 * A model server that thinks as long as the message orders, and then writes word by word. A turn of several calls looks at a project
 * before it answers. Both bots ask it over HTTP, so that what waits holds a connection, as it does with a provider.
 */
export async function startSlowModel(): Promise<SlowModel> {
  let taken = 0;
  const server = await serveModel(({ body }) => answer(body));
  return {
    ...server,
    takeRequests: () => {
      const since = server.requests() - taken;
      taken = server.requests();
      return since;
    },
  };
}

const ORDER = /wait ([\d.]+) s (\d+) times, number \d+/g;

/** Every mention of the newest order is the same text, so the last match is the newest order, whatever stands around it. */
function answer(body: string): ModelAnswer {
  const order = [...body.matchAll(ORDER)].at(-1);
  const [, seconds = '0', calls = '1'] = order ?? [];
  const delayMs = Number(seconds) * 1_000;
  const after = body.slice(order?.index ?? 0);
  const looked = (after.match(/"role":"tool"/g) ?? []).length;
  if (looked + 1 >= Number(calls))
    return body.includes('"stream":true') ? { pieces: write(delayMs) } : { delayMs, content: PIECES.join('') };
  const tool = body.includes('"get_project_status"') ? 'get_project_status' : 'get_project';
  return { delayMs, toolCalls: [{ name: tool, args: { project: 'shop' } }] };
}

async function* write(delayMs: number): AsyncGenerator<string> {
  await sleep(delayMs);
  yield* PIECES;
}
