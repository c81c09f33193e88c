import { mkdirSync } from 'node:fs';
import { AppError } from '@signalbox/contracts/errors';
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
import { findConfiguredBubblewrap } from '../sandbox/find-confinement.ts';
import { openSandbox } from '../sandbox/sandbox.ts';
import type { FixFinding } from './ready-edits.ts';
import { openRegistryDoor } from './registry-door.ts';

/** The agent in MODEL_FOR: `engineering.critic=…` gives one node another model. */
const AGENT = 'engineering';

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
  const door = hosts.length === 0 ? null : own(await openRegistryDoor({ hosts, proxy: config.HTTPS_PROXY || null }));
  return createEngineeringChangeHandler({
    changes: createChangeStore(pool),
    git: createGit({ path, home }),
    home,
    bounds: getEngineeringBounds(config.ENGINEERING_OPEN_PATHS),
    sandbox: await openSandbox({ program: findConfiguredBubblewrap(config) }),
    door,
    model: plan.main.name === OFFLINE ? null : (node) => models.of(AGENT, node),
    fix: fixNothing,
  });
}

const fixNothing: FixFinding = ({ findingId }) =>
  Promise.reject(new AppError('CONFLICT', { detail: `There is no fix for the finding ${findingId}.` }));
