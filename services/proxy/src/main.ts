import { runService } from '@signalbox/platform/lifecycle';
import { createLog } from '@signalbox/platform/log';
import { loadConfig } from './config.ts';
import { createProxy } from './proxy.ts';

const config = loadConfig();
const log = createLog('proxy', config.LOG_LEVEL);
await runService(log, async (own) => void (await createProxy(own, config, log)));
