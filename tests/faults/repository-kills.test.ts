import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { eventually, until } from '../support/until.ts';
import {
  branchOf,
  openRepositoryKillField,
  outcomeOf,
  STEPS,
  type KillableJobs,
  type RepositoryKillField,
  type RunStatement,
  type Victim,
} from './repository-kill-field.ts';

const KEY = 'ghp_Zx81kQ0pLw7RtYv3Bn5MdJs9HgFe2CaU4oXi';
const CONFLICT = 'export const a = 1;\n<<<<<<< HEAD\nexport const b = 2;\n=======\nexport const b = 3;\n>>>>>>> side\n';
const BEFORE = {
  'README.md': '# Shop\n\nSee [the guide](docs/guide.md).\n',
  'src/main.ts': CONFLICT,
  'src/cart.ts': 'export const cart = [];\ndebugger;\n',
  'package.json': '{ "name": "shop", "version": "1.0.0", "dependencies": { "left-pad": "*" } }\n',
};
/** A conflict is gone, as is a secret from what only the history had; others are new. */
const AFTER = {
  'src/main.ts': 'export const a = 1;\n',
  'src/login.ts': `export const key = '${KEY}';\n`,
  Dockerfile: 'FROM node:latest\nRUN curl -s http://example.org/x.sh | sh\n',
};

type StopsAt = (statement: RunStatement) => boolean;
/** Steps that scan: they are killed while the scan is alive. The others only read what was found. */
const SCANNING = [0, 1, 2, 3, 4, 5, 6];
/** Where in each step a run is killed; null: while its scan is alive. */
const MOMENTS: Readonly<Record<string, (step: number) => StopsAt | null>> = {
  begun: (step) => (one) => isSaid(one, 'after', 'insert into repository_agent_runs') && one.step === step,
  working: (step) => (SCANNING.includes(step) ? null : (one) => isSaid(one, 'after', 'select * from (')),
  uncommitted: (step) => (one) => isSaid(one, 'before', 'commit') && one.step === step,
  committed: (step) => (one) => isSaid(one, 'after', 'commit') && one.step === step,
};
/** Before the first step. */
const BEGINS: readonly StopsAt[] = [
  (one) => isSaid(one, 'after', `update runs set status = 'running'`),
  (one) => isSaid(one, 'before', 'insert into repository_runs'),
  (one) => isSaid(one, 'after', 'insert into repository_runs'),
  (one) => isSaid(one, 'before', 'update repository_runs set commit_id'),
  (one) => isSaid(one, 'after', 'update repository_runs set commit_id'),
];
/** Between the last step and the end of the run, and around the end of the job. */
const ENDS: readonly StopsAt[] = [
  (one) => isSaid(one, 'before', 'update repository_runs set status'),
  (one) => isSaid(one, 'after', 'update repository_runs set status'),
  (one) => isSaid(one, 'before', 'commit') && one.within.startsWith('update runs set status'),
  (one) => isSaid(one, 'after', 'commit') && one.within.startsWith('update runs set status'),
];

function isSaid({ side, text }: RunStatement, when: 'before' | 'after', what: string): boolean {
  return side === when && text.startsWith(what);
}

/** Where this run is killed in this round; undefined: anywhere. */
function stopOf({ project }: Victim, round: number): StopsAt | null | undefined {
  const moment = MOMENTS[project];
  if (moment) return round < STEPS ? moment(round) : undefined;
  // In between it comes to its end in its own time, and waits there for its turn.
  return BEGINS[round] ?? ENDS[Math.max(0, round - STEPS)];
}

let field: RepositoryKillField;
let serving: KillableJobs;
beforeAll(async () => {
  field = await openRepositoryKillField();
  const { bench } = field;
  const first = bench.commit(BEFORE);
  bench.commit(AFTER);
  bench.git('branch', branchOf(bench.project));
  serving = await field.start();
  await bench.run('first', 'full_analysis', { ref: first });
  // As if it had been away for a while.
  await bench.jobs.pool.query(`update repository_findings set status = 'fixed' where rule = 'code/debug-leftover'`);
}, 120_000);
afterAll(() => field.close());

describe('a chain of scan steps whose process is killed', () => {
  it(
    'ends complete and only once, as if nothing was killed, whichever step the kill hits and wherever in it',
    { timeout: 400_000 },
    async () => {
      const { bench } = field;
      const victims: Victim[] = [];
      for (const name of [...Object.keys(MOMENTS), 'edges']) victims.push(await field.victim(name));
      await bench.run('reference', 'full_analysis');
      const wanted = await outcomeOf(bench, bench.project, 'reference');
      expect(wanted).toMatchObject({
        run: [{ status: 'completed', counts: { fixed: 2, reopened: 1 } }],
        steps: Array.from({ length: STEPS }, () => ({ status: 'completed' })),
        audits: Array.from({ length: STEPS }, () => ({ status: 'completed' })),
        artifacts: [{ isWhole: true }, { isWhole: true }, { isWhole: true }],
        told: 1,
      });

      for (let round = 0; round < STEPS + ENDS.length; round++) await killAll(victims, round);
      for (const victim of victims) Object.assign(victim, { stopsAt: null, heldBy: null });
      serving.resume();
      for (const { project, runId } of victims) {
        await resultOf(runId);
        expect(await outcomeOf(bench, project, runId), `${project}`).toEqual(wanted);
      }

      // What is known is known: there is nothing left to look at.
      for (const { project } of victims) await bench.ask(`${project}_next`, 'full_analysis', { project });
      for (const { project } of victims) {
        const { counts } = await resultOf(`${project}_next`);
        expect(counts, `${project}`).toMatchObject({ opened: 0, reopened: 0, fixed: 0 });
        const next = await outcomeOf(bench, project, `${project}_next`);
        expect(next, `${project}`).toMatchObject({ findings: wanted.findings, caches: wanted.caches });
        expect(
          next.audits.map(({ scanned }) => scanned?.inspected ?? 0),
          `${project}`,
        ).toEqual(Array(STEPS).fill(0));
      }
    },
  );

  it('leaves no unconfined scan process behind, not even one that would never end', async () => {
    const { bench } = field;
    await serving.kill();
    // This git never answers when a scan lists the files of a commit.
    const folder = makeTemporaryFolder('silent-git');
    const { path } = loadTestConfig();
    const script = `#!/bin/sh\ncase " $* " in *" ls-tree "*) exec sleep 600 ;; esac\nPATH='${path}' exec git "$@"\n`;
    writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
    const silent = await field.start({ programs: folder, settings: { PROCESS_CONFINEMENT: 'off' } });
    await bench.ask('silent', 'security_scan');
    await until(() => silent.family().some(({ words }) => words.startsWith('sleep')));
    await silent.kill();
    await eventually(
      async () => silent.family(),
      (family) => family.length === 0,
      60_000,
    );
    serving = await field.start();
    expect(await bench.result('silent')).toMatchObject({ status: 'completed', left: [] });
  });

  it('restarts a scan when only the process of the scan was killed', async () => {
    const { bench } = field;
    await bench.ask('alone', 'security_scan');
    const isScan = ({ words }: { readonly words: string }) => /^\S*node\0.*scan\/program/.test(words);
    const scan = await until(() => serving.family().find(isScan));
    process.kill(scan.pid, 'SIGKILL');
    expect(await bench.result('alone')).toMatchObject({ status: 'completed', left: [] });
  });
});

/** Five runs at once take a busy machine longer than the bench waits for one. */
async function resultOf(runId: string): ReturnType<RepositoryKillField['bench']['result']> {
  const { bench } = field;
  await eventually(
    () => bench.jobs.runs.find(runId),
    (run) => run?.status !== 'queued' && run?.status !== 'running',
    120_000,
  );
  return bench.result(runId);
}

/** With which epoch each run died last; a busy machine may cost one its lease in between. */
let lost: readonly number[] = [];

/** Waits until each run stands where it is to die in this round, and kills the process of all of them. */
async function killAll(victims: readonly Victim[], round: number): Promise<void> {
  const { bench } = field;
  for (const victim of victims) {
    Object.assign(victim, { stopsAt: stopOf(victim, round) ?? null, heldBy: null });
    // The scan waits until the process that takes over has started.
    if (stopOf(victim, round) === null) await field.pause(victim);
  }
  if (round === 0) for (const { project, runId } of victims) await bench.ask(runId, 'full_analysis', { project });
  else serving.resume();
  // All are in the hands of the one that is to die: the next one finds nothing to do before.
  await eventually(
    () => field.holders(victims),
    (rows) =>
      rows.every(({ epoch, status }, at) => status === 'done' || (status === 'running' && epoch > (lost[at] ?? 0))),
    60_000,
  );
  const next = await field.start({ isPaused: true });
  for (const victim of victims) await field.letGo(victim);
  const isThere = (victim: Victim): boolean => {
    const stop = stopOf(victim, round);
    const isOnItsWay = victim.project === 'edges' && round >= BEGINS.length && round < STEPS;
    return (
      isOnItsWay || stop === undefined || victim.heldBy !== null || (stop === null && field.isScanned(victim.project))
    );
  };
  await eventually(
    async () => victims.flatMap((victim) => (isThere(victim) ? [] : [`${victim.project} in round ${round}`])),
    (others) => others.length === 0,
    60_000,
  );
  await serving.kill();
  lost = (await field.holders(victims)).map(({ epoch }) => epoch);
  await until(() => serving.family().length === 0);
  serving = next;
}
