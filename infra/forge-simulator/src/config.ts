import { join, resolve } from 'node:path';

export interface SimulatorConfig {
  readonly port: number;
  /** Where webhooks go. */
  readonly hookUrl: string;
  /** Private key of the App, in PEM. */
  readonly keyFile: string;
  /** The sources of `npm start`. */
  readonly sourcesFile: string;
}

/** Reads the environment. The data folder is that of `npm start` in the checkout in which this is started. */
export function loadConfig(): SimulatorConfig {
  const dataDir = resolve(process.env['SIGNALBOX_DATA_DIR'] || '.signalbox');
  return {
    port: Number(process.env['FORGE_SIMULATOR_PORT'] || 4040),
    hookUrl: process.env['FORGE_SIMULATOR_HOOK'] || 'http://127.0.0.1:8082/hooks/github',
    keyFile: join(dataDir, 'forge-simulator/app.pem'),
    sourcesFile: join(dataDir, 'sources.json'),
  };
}
