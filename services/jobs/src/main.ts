import { isInfrastructureError } from '@signalbox/store/infrastructure';
import { runService } from '@signalbox/platform/lifecycle';
import { createLog } from '@signalbox/platform/log';
import { loadConfig } from './config.ts';
import { createJobService } from './job-service.ts';
import { nameJobService } from './service-name.ts';

const config = loadConfig();
const log = createLog(nameJobService(config.JOBS_POOLS), config.LOG_LEVEL);
await runService(log, async (own) => void (await createJobService(own, config, log)), isInfrastructureError);
