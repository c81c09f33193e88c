import { mkdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { getEngineeringBounds } from '@signalbox/contracts/governance/agent-bounds';
import { openModels } from '@signalbox/models/open-models';
import { OFFLINE, readModelPlan } from '@signalbox/models/settings';
import type { RegisterClosable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { createPermitQueues } from '@signalbox/platform/permits/permit-queue';
import type { Redis } from '@signalbox/platform/redis';
import { createChangeStore } from '@signalbox/store/engineering/changes';
import type { Pool } from '@signalbox/store/pool';
import type { JobsConfig } from '../config.ts';
import { createGit } from '../git/git.ts';
import { createEngineeringChangeHandler } from '../jobs/engineering-change.ts';
import type { HandlerOf } from '../runner/handlers.ts';
import { MIB } from '@signalbox/contracts/size';
import { COMMAND_LIMITS } from '../sandbox/limits.ts';
import { findConfiguredBubblewrap } from '../sandbox/find-confinement.ts';
import { listNodeMounts } from '../sandbox/program-room.ts';
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { quoteShellWord } from '../drivers/quote-shell-word.ts';
import { makeFixEdits, type FixDeps } from '../fixes/fix-finding.ts';
import { runInRoom, type LockRun } from '../fixes/lock-run.ts';
import { findActionCommit } from '../forges/action-commits.ts';
import { readAuthorities } from '../forges/open-forge.ts';
import { createFindingStore } from '@signalbox/store/repository/findings';
import { Agent } from 'undici';
import { MINUTE_MS } from '@signalbox/contracts/time';
import type { FixFinding } from './ready-edits.ts';
import { openRegistryDoor, type RegistryDoor } from './registry-door.ts';

/** The agent in MODEL_FOR: `engineering.critic=…` gives one node another model. */
const AGENT = 'engineering';
const LOCK_MS = 8 * MINUTE_MS;

/** Opens everything that makes changes of code: models, the sandbox, and the door to registries. */
export async function openEngineering(
  own: RegisterClosable,
  config: JobsConfig,
  { pool, redis }: { readonly pool: Pool; readonly redis: Redis },
  log: Log,
): Promise<HandlerOf<'engineering.change'>> {
  const { ENGINEERING_DIR: home, PATH: path, REDIS_PREFIX: prefix } = config;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const plan = readModelPlan(config);
  const gates = createPermitQueues({ redis, prefix, max: config.MODEL_CONCURRENCY ?? null, log });
  const models = await openModels(plan, { catalog: () => ({ groups: [] }), log, gates });
  const hosts = config.ENGINEERING_REGISTRIES;
  const authorities = readAuthorities(config.REPOSITORY_TRUST_DIR);
  const proxy = config.HTTPS_PROXY || null;
  const door = hosts.length === 0 ? null : own(await openRegistryDoor({ hosts, proxy, authorities }));
  const limits = { ...COMMAND_LIMITS, scratchBytes: config.SANDBOX_TMP_MB * MIB };
  const sandbox = await openSandbox({ program: findConfiguredBubblewrap(config), limits });
  const bounds = getEngineeringBounds(config.ENGINEERING_OPEN_PATHS);
  return createEngineeringChangeHandler({
    changes: createChangeStore(pool),
    git: createGit({ path, home }),
    home,
    bounds,
    sandbox,
    door,
    model: plan.main.name === OFFLINE ? null : (node) => models.of(AGENT, node),
    fix: createFix(config, { pool, sandbox, door, bounds }),
  });
}

/** Fixes findings by rules: package managers run in the sandbox, and forges are asked without a login. */
function createFix(
  config: JobsConfig,
  {
    pool,
    sandbox,
    door,
    bounds,
  }: Pick<FixDeps, 'bounds'> & { readonly pool: Pool; readonly sandbox: Sandbox; readonly door: RegistryDoor | null },
): FixFinding {
  const findings = createFindingStore(pool);
  const dispatcher = new Agent({ connect: { ca: readAuthorities(config.REPOSITORY_TRUST_DIR) } });
  const runLock: LockRun = async (plan, files, signal) => {
    const room = await mkdtemp(join(config.ENGINEERING_DIR, 'lock-'));
    return runInRoom(room, plan, files, async (words, folder) => {
      const opened = door?.open();
      const command = words.map(quoteShellWord).join(' ');
      return sandbox.runShell(opened ? opened.wrap(command) : command, {
        workspace: room,
        hasRepository: false,
        writable: 'all',
        cwd: folder === '' ? '.' : folder,
        programs: { mounts: listNodeMounts(), folder: dirname(process.execPath) },
        ...(opened ? { door: opened.folder } : {}),
        variables: { CI: 'true', ...opened?.variables },
        deadlineMs: LOCK_MS,
        signal,
      });
    });
  };
  const deps: FixDeps = {
    bounds,
    findFinding: (project, findingId) => findings.get(project, findingId),
    runLock: door === null ? null : runLock,
    findCommit: (action, signal) => findActionCommit(action, { forges: config.FORGES, dispatcher }, signal),
  };
  return (finding, tree, signal) => makeFixEdits(deps, finding, tree, signal);
}
