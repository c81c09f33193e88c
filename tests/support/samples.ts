import type {} from '@signalbox/example-bank/errors'; // their codes, sentences and ports are known to the compiler here
import type {} from '@signalbox/example-bank/worker';
import { SAMPLE_AGENTS } from '@signalbox/local/config';
import { joinChallenges } from '@signalbox/plugins/challenges';
import { loadPlugins, listTables } from '@signalbox/plugins/load-plugins';
import { migrate } from '@signalbox/store/migrations/migrate';
import { MIGRATIONS_FOLDER } from '@signalbox/store/migrations/migration-files';
import { loadWorkerParts } from '@signalbox/worker/plugin-parts';

/** The plug-ins that `npm start` names, and so every stack of the tests. */
export const samples = await loadPlugins(SAMPLE_AGENTS);
export const sampleParts = await loadWorkerParts(SAMPLE_AGENTS);
export const sampleChallenges = joinChallenges(samples);

/** Brings a database up to date as `npm start` does, the samples included. */
export const migrateWithSamples = (databaseUrl: string) => migrate(databaseUrl, MIGRATIONS_FOLDER, listTables(samples));
