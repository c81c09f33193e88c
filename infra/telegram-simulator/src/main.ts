import { loadConfig } from './config.ts';
import { createSimulator } from './server.ts';

const simulator = await createSimulator(loadConfig());
process.stdout.write(`Telegram simulator: open ${simulator.url}/ to chat; Bot API root ${simulator.url}\n`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    void simulator.close().then(() => process.exit(0));
  });
}
