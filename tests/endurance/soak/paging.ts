import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import { grantUserRole } from '@signalbox/store/people/users';
import { makeRepository } from '../../support/deploy-repository.ts';
import { eventually } from '../../support/until.ts';
import type { SoakField } from './field.ts';
import type { Random } from './random.ts';
import { openTelegramVoice } from './voices/telegram.ts';
import type { Voice } from './voices/voice.ts';

const OWNER = 49_998;
const ADMIN = 49_997;
/** One that is not well when it is told so, and one that is killed together with its keeper. */
const [SICK, KILLED] = ['pager1', 'pager2'] as const;
const PROGRAM = `
let isWell = true;
require('http').createServer(({ url }, response) => {
  if (url === '/sicken' || url === '/heal') isWell = url === '/heal';
  response.writeHead(url === '/health' && !isWell ? 500 : 200).end('ok');
}).listen(process.env.PORT, process.env.HOST);`;
const DEPLOY_MS = 120_000;
/** Two looks in a row find it, and what is away meanwhile is waited for. */
const NOTICE_MS = 240_000;

/** Deployed programs that break while people write, and who is responsible for them. */
export interface Pagers {
  readonly owner: Voice;
  /** Breaks that nobody noticed. */
  readonly unnoticed: readonly string[];
  /** Begins to break them. `note` hears of each time. */
  start(random: Random, note: (line: string) => void): void;
  /** Breaks none any more. Resolves once those that are broken were noticed, and are well again. */
  stop(): Promise<void>;
}

/** Deploys them. Besides the person who does, an admin is there, who is told of servers. */
export async function deployPagers(field: SoakField): Promise<Pagers> {
  const { pool, dir, simulatorUrl } = field;
  const [owner, admin] = await Promise.all([OWNER, ADMIN].map((id) => openTelegramVoice(simulatorUrl, id)));
  if (!owner || !admin) throw new Error('two were opened');
  await grantUserRole(pool, { userKey: owner.userKey, channel: 'telegram', name: 'Owner', role: 'developer' });
  await grantUserRole(pool, { userKey: admin.userKey, channel: 'telegram', name: 'Admin', role: 'admin' });
  await admin.say('list projects'); // who has never written cannot be told
  const repository = makeRepository(join(dir, 'repositories/pager'));
  repository.release('1.0', {
    'server.js': PROGRAM,
    'signalbox.json': '{"start":["node","server.js"],"health":{"path":"/health"}}',
  });
  for (const name of [SICK, KILLED]) {
    const project = { name, description: 'It breaks', repository: pathToFileURL(repository.folder).href };
    await createProjectStore(pool).create({ ...project, owner: owner.userKey }, `act_soak_${name}`);
    const said = await owner.say(`deploy ${name} 1.0 to staging`);
    const isDeployed = (text: string): boolean => text.includes(`✅ Deployed ${name} in staging: 1.0-`);
    await eventually(
      () => owner.hear(said),
      (texts) => texts.some(isDeployed),
      DEPLOY_MS,
    );
  }
  const stopping = new AbortController();
  const unnoticed: string[] = [];
  let breaking: Promise<unknown> = Promise.resolve();
  const noticed = async (what: string, act: () => Promise<unknown> = async () => undefined): Promise<void> => {
    const count = async (): Promise<number> =>
      (await pool.query<{ n: number }>(`select count(*)::int as n from ${what}`)).rows[0]?.n ?? 0;
    let before: number | null = null;
    for (const end = Date.now() + NOTICE_MS; Date.now() < end; await delay(1_000)) {
      // The database or the proxy may be away.
      const now = await count().catch(() => null);
      before ??= now;
      if (before !== null && now !== null && now > before) return;
      await act().catch(() => undefined);
    }
    unnoticed.push(`${new Date().toISOString()} ${what}`);
  };
  const ask = async (path: string): Promise<void> => {
    const { rows } = await pool.query<{ port: number }>('select port from services where project = $1', [SICK]);
    await fetch(`http://127.0.0.1:${rows[0]?.port}${path}`, { signal: AbortSignal.timeout(3_000) });
  };
  const sicken = async (random: Random, note: (line: string) => void): Promise<void> => {
    const incidents = `incidents where subject = 'service:${SICK}/staging'`;
    while (!stopping.signal.aborted) {
      note(`${SICK} is not well`);
      await noticed(incidents, () => ask('/sicken'));
      note(`${SICK} is well`);
      await noticed(`${incidents} and closed_at is not null`, () => ask('/heal'));
      await delay(random.between(10_000, 60_000), undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const killOnce = async (random: Random, note: (line: string) => void): Promise<void> => {
    await delay(random.between(5_000, 40_000));
    note(`${KILLED} is killed with its keeper`);
    killProgram(join(dir, 'targets', KILLED, 'staging'));
    await noticed(
      `runs where job = 'service.revive' and payload ->> 'project' = '${KILLED}' and result ->> 'outcome' = 'revived'`,
    );
  };
  return {
    owner,
    unnoticed,
    start: (random, note) => void (breaking = Promise.all([sicken(random, note), killOnce(random, note)])),
    stop: async () => {
      stopping.abort();
      await breaking;
    },
  };
}

/** Ends a program and what looks after it, as a crash of the machine does. */
function killProgram(staging: string): void {
  for (const deployment of readdirSync(staging).filter((name) => name.startsWith('act_')))
    for (const name of ['shim', 'pid'])
      process.kill(Number(readFileSync(join(staging, deployment, 'instance', name), 'utf8').split(' ')[0]), 'SIGKILL');
}
