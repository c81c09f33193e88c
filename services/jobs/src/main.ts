import { isTransient } from '@signalbox/store/pool';
import { runService } from '@signalbox/platform/lifecycle';
import { createLog } from '@signalbox/platform/log';
import { isRedisAway } from '@signalbox/platform/redis';
import { loadConfig } from './config.ts';
import { createJobService } from './job-service.ts';
import { serviceName } from './service-name.ts';

const config = loadConfig();
const log = createLog(serviceName(config.JOBS_POOLS), config.LOG_LEVEL);
const passes = (error: unknown): boolean => isTransient(error) || isRedisAway(error);
await runService(log, async (own) => void (await createJobService(own, config, log)), passes);
