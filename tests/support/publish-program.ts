import { createForges, type ForgesOptions } from '@signalbox/jobs/forges/open-forge';
import { createGit } from '@signalbox/jobs/git/git';
import { createSourceStore } from '@signalbox/jobs/git/sources';
import { createEngineeringPublishHandler } from '@signalbox/jobs/jobs/engineering-publish';
import { createLog } from '@signalbox/platform/log';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import { createChangeStore } from '@signalbox/store/engineering/changes';
import { openPool } from '@signalbox/store/pool';

/** What a process that publishes a change is told, as its argument. */
export interface PublishErrand {
  readonly database: string;
  readonly path: string;
  readonly folder: string;
  readonly trustDir: string;
  readonly forges: ForgesOptions['forges'];
  readonly token: string;
  readonly runId: string;
  readonly change: { readonly changeId: number; readonly project: string; readonly hash: string };
}

// A job service that publishes one approved change, and writes the outcome. Whoever started it may kill it at any moment.
const errand = JSON.parse(process.argv[2] ?? '') as PublishErrand; // the test wrote it
const { database, path, folder, trustDir, token, runId, change } = errand;
const log = createLog('publish', 'silent');
const pool = openPool(database, log, { name: 'publish', max: 2, as: 'deploy' });
const hosts = { privateOnes: ['localhost'], trustDir };
const git = createGit({ path, home: folder });
const { findForge, exchangeLogin } = createForges({
  git,
  dir: folder,
  repositoriesDirs: [],
  forges: errand.forges,
  hosts,
});
const sources = createSourceStore({
  dir: folder,
  repositoriesDirs: [],
  closed: [],
  cell: null,
  path,
  hosts,
  exchangeLogin,
});
const publishing = { changes: createChangeStore(pool), projects: createProjectStore(pool), sources, git, findForge };
const outcome = await createEngineeringPublishHandler(publishing).run(change, {
  runId,
  attempt: 1,
  owner: { userKey: '1', threadId: null },
  signal: AbortSignal.timeout(60_000),
  log,
  now: () => new Date(),
  progress: () => Promise.resolve(),
  tell: () => Promise.resolve(),
  openSecret: () => Promise.resolve(token),
});
process.stdout.write(JSON.stringify(outcome));
await pool.end();
process.exit(0);
