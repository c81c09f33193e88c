import { isTransient } from '@signalbox/shared/db/pool';
import { runService } from '@signalbox/shared/lifecycle';
import { createLog } from '@signalbox/shared/log';
import { isRedisAway } from '@signalbox/shared/redis';
import { loadConfig } from './config.ts';
import { createJobService } from './job-service.ts';
import { serviceName } from './service-name.ts';

const config = loadConfig();
const log = createLog(serviceName(config.JOBS_POOLS), config.LOG_LEVEL);
const passes = (error: unknown): boolean => isTransient(error) || isRedisAway(error);
await runService(log, async (own) => void (await createJobService(own, config, log)), passes);
