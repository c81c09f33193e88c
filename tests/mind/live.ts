import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { getInheritedEnvironment } from '@signalbox/local/config';
import { readLiveRunRecord } from '@signalbox/local/supervisor/instance';
import pg from 'pg';
import { describeMessage, openPeople } from './people.ts';
import { Answer, listSeatVariables, openSeat } from './seat.ts';
import { addStep, locateRequest, readRequests, SESSION_FILES, type Act } from './session.ts';

const POLL_MS = 100;
/** Nothing is under way when nothing was for this long. */
const QUIET_MS = 1_500;
/** An empty variable keeps that of .env out: no real bot, and no servers or models of somebody else. */
const NOT_INHERITED = { TELEGRAM_BOT_TOKEN: '', DATABASE_URL: '', REDIS_URL: '', MODEL_FALLBACK: '', MODEL_FOR: '' };
/** Whether a message is being worked on or on its way. A deployment that goes on by itself is not meant. */
export const UNDER_WAY = `select exists (select from inbox where outcome is null)
  or exists (select from outbox where status in ('pending', 'sending')) as yes`;

export type Live = Awaited<ReturnType<typeof openLive>>;

/** Runs the product as `npm start` does, with all that it keeps in the session's folder, until it ends. Returns its exit code. */
export async function runLive(folder: string): Promise<number> {
  const decide: Parameters<typeof openSeat>[0] = async ({ n, body, gone }) => {
    writeWhole(locateRequest(folder, n, 'request'), body);
    const file = locateRequest(folder, n, 'answer');
    while (!existsSync(file))
      if (gone.aborted) writeWhole(file, '{}');
      else await delay(POLL_MS);
    return Answer.parse(JSON.parse(readFileSync(file, 'utf8')));
  };
  const seat = await openSeat(decide, readRequests(folder).all.length);
  const own = { ...NOT_INHERITED, ...listSeatVariables(seat), SIGNALBOX_DATA_DIR: join(folder, 'data') };
  const program = join(getCheckoutPath(), 'infra/local/dist/start.js');
  const child = spawn(process.execPath, [program], { env: { ...getInheritedEnvironment(), ...own }, stdio: 'inherit' });
  const ended = new AbortController();
  process.on('SIGINT', () => undefined); // Ctrl-C reaches the product itself
  for (const event of ['SIGTERM', 'SIGHUP', 'exit'] as const) process.on(event, () => child.kill('SIGTERM'));
  const code = new Promise<number>((resolve) => child.on('close', (status) => resolve(status ?? 1)));
  void code.then(() => ended.abort());
  await followTranscript(folder, ended.signal);
  await seat.close();
  return code;
}

/** Writes a file in one step: others wait for it to appear. */
export function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** Writes down what every person sees as it comes, also edits and what is deleted. */
async function followTranscript(folder: string, ended: AbortSignal): Promise<void> {
  const file = join(folder, SESSION_FILES.transcript);
  const isContinued = existsSync(file);
  const known = new Map<number, number>();
  let people: Awaited<ReturnType<typeof openPeople>> | null = null;
  for (; !ended.aborted; await delay(POLL_MS)) {
    const run = readLiveRunRecord(join(folder, 'data'));
    if (!run?.simulatorUrl || !run.services.some(({ name }) => name === 'gateway')) continue;
    const isFirst = people === null;
    people ??= await openPeople(run.simulatorUrl);
    const seen = await people.readAll().catch(() => []); // it stops with the product
    if (isFirst && isContinued) for (const { message } of seen) known.set(message.messageId, message.seq);
    const fresh = seen.filter(({ message }) => known.get(message.messageId) !== message.seq);
    for (const { chat, message } of fresh.toSorted((one, other) => one.message.seq - other.message.seq)) {
      const edited = known.has(message.messageId) ? ' (edited)' : '';
      known.set(message.messageId, message.seq);
      appendFileSync(file, `[${chat}]${edited} ${describeMessage(message)}\n`);
    }
  }
}

/** Opens the session that runs in this folder. Throws when none does. */
export async function openLive(folder: string) {
  const run = readLiveRunRecord(join(folder, 'data'));
  if (!run?.simulatorUrl) throw new Error('The session does not run. Start it: npm run mind');
  const people = await openPeople(run.simulatorUrl);
  const pool = new pg.Pool({ connectionString: run.databaseUrl, max: 1 });
  const transcript = join(folder, SESSION_FILES.transcript);
  const shown = join(folder, 'shown');
  const known = readRequests(folder).all.length;
  const count = async () => ({ requests: readRequests(folder).all.length, messages: await people.countSaid() });
  return {
    folder,
    people,
    /** The requests and messages until now, for a step. */
    count,
    /** Does and records what a person does. */
    act: async (act: Omit<Act, 'requests' | 'messages'>): Promise<void> => {
      const before = await count();
      const notice = await people.act(act, join(folder, SESSION_FILES.files));
      addStep(folder, { ...act, ...before });
      if (act.press !== undefined) appendFileSync(transcript, `${act.as} presses [${act.press}] ${notice}\n`);
    },
    /** Waits for a new request, or until nothing is under way; with `waitMs` until something comes. Returns what people saw. */
    settle: async (waitMs?: number): Promise<string> => {
      const [begin, said] = [Date.now(), await people.countSaid()];
      for (let quietSince = begin; Date.now() - begin < (waitMs ?? 60_000); await delay(POLL_MS)) {
        const { open } = readRequests(folder);
        if (open.some((n) => n > known) || Date.now() - quietSince > QUIET_MS) break;
        if (open.length > 0 && Date.now() - begin > 2 * QUIET_MS) break; // a request that was shown before waits on
        const hasNews = waitMs === undefined || (await people.countSaid()) > said;
        if (!hasNews || (await pool.query<{ yes: boolean }>(UNDER_WAY)).rows[0]?.yes === true) quietSince = Date.now();
      }
      const from = existsSync(shown) ? Number(readFileSync(shown, 'utf8')) : 0;
      writeFileSync(shown, String(statSync(transcript, { throwIfNoEntry: false })?.size ?? 0));
      return existsSync(transcript) ? readFileSync(transcript).subarray(from).toString() : '';
    },
    close: (): Promise<void> => pool.end(),
  };
}
