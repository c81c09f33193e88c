import { join } from 'node:path';
import { getCheckoutPath } from '@signalbox/local/checkout';

/** Servers to test against instead of starting them, the data folder, and the PATH to look for servers on. */
export interface TestConfig {
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly dataDir: string;
  readonly path: string;
  /** Level of the services' logs during tests; they are silent unless TEST_LOG says otherwise. */
  readonly logLevel: string;
  /** Where Chromium is, when it is not Debian's. */
  readonly chromium: string | undefined;
  /** The program bubblewrap, when it is neither on PATH nor to be fetched. */
  readonly bubblewrap: string | undefined;
  /** Whose faults and words the soak plays again; otherwise one is drawn. */
  readonly soakSeed: number | undefined;
  /** Which of the processes of vitest this is, from 1 on; 0 outside of vitest. */
  readonly poolId: number;
  /** True where every suite has to run. */
  readonly ci: boolean;
}

/** Reads the environment of the test run. */
export function loadTestConfig(): TestConfig {
  return {
    // The admin URL of a Postgres on which databases may be created and dropped.
    databaseUrl: process.env['SIGNALBOX_TEST_DATABASE_URL'] || undefined,
    redisUrl: process.env['SIGNALBOX_TEST_REDIS_URL'] || undefined,
    dataDir: process.env['SIGNALBOX_DATA_DIR'] || join(getCheckoutPath(), '.signalbox'),
    path: process.env['PATH'] ?? '',
    chromium: process.env['CHROMIUM_PATH'] || undefined,
    poolId: Number(process.env['VITEST_POOL_ID'] ?? 0),
    bubblewrap: process.env['BWRAP_PATH'] || undefined,
    soakSeed: Number(process.env['SOAK_SEED']) || undefined,
    ci: process.env['CI'] === 'true',
    logLevel: process.env['TEST_LOG'] || 'silent',
  };
}
