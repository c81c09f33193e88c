import { runService } from '@signalbox/shared/lifecycle';
import { createLog } from '@signalbox/shared/log';
import { loadConfig } from './config.ts';
import { createJobService } from './job-service.ts';

const config = loadConfig();
const log = createLog('jobs', config.LOG_LEVEL);
await runService(log, async (own) => void (await createJobService(own, config, log)));
