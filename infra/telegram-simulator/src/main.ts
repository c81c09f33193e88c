#!/usr/bin/env node
import { loadConfig } from './config.ts';
import { createSimulator, type Simulator } from './server.ts';

const simulator = await start();
process.stdout.write(`Telegram simulator: open ${simulator.url}/ to chat; Bot API root ${simulator.url}\n`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    void simulator.close().then(() => process.exit(0));
  });
}

/** Prints known startup errors as one sentence, without a stack. */
async function start(): Promise<Simulator> {
  try {
    return await createSimulator(loadConfig());
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return process.exit(1);
  }
}
