import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SAMPLE_AGENTS } from '@signalbox/local/config';
import { seedSimulatorPeople } from '@signalbox/local/setup/seed';
import { expect, test } from 'vitest';
import { openDemoStack } from '../support/demo-stack.ts';
import { createNormalizer } from './normalize.ts';
import { openPeople, writeTranscript, type People } from './people.ts';
import { createReplay, writeRequests } from './replay.ts';
import { listSeatVariables, openSeat } from './seat.ts';
import { readSteps, SESSION_FILES } from './session.ts';

// Sessions that somebody played in the seat of the model, played again with their answers: see docs/mind.md.

const SETTLED_MS = 3_000;
/** The mean of a session; o200k tokens of the tools and messages. */
const MAX_TOKENS_PER_CALL = 5_000;
const SESSIONS = join(import.meta.dirname, 'sessions');

test.each(readdirSync(SESSIONS))(
  'a recorded session asks the model the same and shows people the same again: %s',
  async (name) => {
    const folder = join(SESSIONS, name);
    const replay = createReplay(folder);
    const seat = await openSeat(replay.decide);
    const demo = await openDemoStack(listSeatVariables(seat));
    const { pool, databaseUrl, simulatorUrl } = demo.stack;
    await pool.query('delete from users'); // those of `npm start` have names
    await seedSimulatorPeople(databaseUrl, SAMPLE_AGENTS);
    const people = await openPeople(simulatorUrl);
    const problem = await replay.play(readSteps(folder), people, pool);
    const normalize = createNormalizer();
    const requests = writeRequests(replay.requests, normalize);
    const transcript = normalize(await readSettled(people));
    await seat.close();
    await demo.close();
    expect.soft(problem).toBeNull();
    const tokens = replay.requests.reduce((sum, request) => sum + request.tokens.total, 0);
    expect.soft(tokens / replay.requests.length).toBeLessThan(MAX_TOKENS_PER_CALL);
    await expect.soft(requests).toMatchFileSnapshot(join(folder, SESSION_FILES.requests));
    await expect.soft(transcript).toMatchFileSnapshot(join(folder, SESSION_FILES.transcript));
  },
);

/** What people see when nothing is edited any more: the progress of a deployment comes once in a second or two. */
async function readSettled(people: People): Promise<string> {
  for (let text = ''; ; await delay(SETTLED_MS)) {
    const now = writeTranscript(await people.readAll());
    if (now === text) return now;
    text = now;
  }
}
