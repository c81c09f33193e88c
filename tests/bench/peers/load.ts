import http from 'node:http';
import type { Sample } from './figures.ts';
import { ANSWER_MARK } from './model-script.ts';

const LATE_MS = 60_000;
const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });

interface Cell {
  /** How many people write at once, each the next message after the answer to the last. */
  readonly people: number;
  readonly turnsEach: number;
  text(n: number): string;
  /** After so many milliseconds without an answer the run fails. */
  readonly lateMs?: number;
}

/** People who write to the bot of a simulator and wait for its answers. */
export async function openLoad(simulatorUrl: string) {
  const waiting = new Map<number, () => void>();
  const events = await openEvents(simulatorUrl, (chat) => waiting.get(chat)?.());
  let said = 0;

  const turn = async (person: number, text: string, lateMs = LATE_MS): Promise<number> => {
    const startedAt = performance.now();
    const answered = new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no answer to “${text}” in ${lateMs / 1_000} s`)), lateMs);
      waiting.set(person, () => {
        clearTimeout(late);
        resolve();
      });
    });
    await Promise.all([post(`${simulatorUrl}/api/messages`, { from: person, text }), answered]);
    waiting.delete(person);
    return performance.now() - startedAt;
  };

  return {
    turn,
    addPeople: (ids: readonly number[]) =>
      Promise.all(ids.map((id) => post(`${simulatorUrl}/api/people`, { id, name: `P${id}` }))),
    /** A cell of the measurement with people who have not written yet. `cpu`: milliseconds that the peer has used so far. */
    async run(
      ids: readonly number[],
      { turnsEach, text, lateMs }: Omit<Cell, 'people'>,
      cpu: () => number,
    ): Promise<Sample> {
      const latencies: number[] = [];
      const [before, startedAt] = [cpu(), performance.now()];
      await Promise.all(
        ids.map(async (person) => {
          for (let n = 0; n < turnsEach; n++) latencies.push(await turn(person, text(++said), lateMs));
        }),
      );
      const seconds = (performance.now() - startedAt) / 1_000;
      const turns = latencies.length;
      return { latencies, turnsPerSecond: turns / seconds, cpuPerTurn: (cpu() - before) / turns };
    },
    close: () => events.destroy(),
  };
}

/** Follows the simulator's event stream: asking for answers again and again would keep the measured machine busy. */
async function openEvents(url: string, heard: (chat: number) => void): Promise<http.ClientRequest> {
  const outgoing = http.get(`${url}/api/events`, (response) => {
    let rest = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (!/"isBot":\s*true/.test(line) || !line.includes(ANSWER_MARK)) continue;
        const chat = /"chatId":\s*(\d+)/.exec(line)?.[1];
        if (chat !== undefined) heard(Number(chat));
      }
    });
  });
  outgoing.on('error', () => undefined); // it is cut at the end
  await new Promise((resolve) => outgoing.once('response', resolve));
  return outgoing;
}

function post(url: string, body: object): Promise<void> {
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const outgoing = http.request(url, { method: 'POST', headers, agent }, (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${url}: ${response.statusCode}`)),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}
