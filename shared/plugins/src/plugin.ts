import type { Challenge } from '@signalbox/safety/secrets/step-up-code';
import type { PluginTables } from '@signalbox/store/migrations/plugin-tables';
import type { Queryable } from '@signalbox/store/pool';

/**
 * What a folder outside of the core brings: stateful agents with their tables, codes, sentences and policies. Every service loads this
 * description; only the worker loads the agents behind `worker`. docs/extending/plugins.md explains each field.
 */
export interface Plugin {
  /** Small letters, digits and single hyphens, such as `bank`. Names the record of its migrations. */
  readonly name: string;
  /** Loads what the worker runs: a module whose default export is made by `defineWorkerParts`. */
  readonly worker: () => Promise<{ readonly default: object }>;
  /** Folder with a folder for each language (`en`, `de`, `es`, `ru`, `zh`), whose JSON files hold its sentences. */
  readonly languages?: URL;
  /** Codes of its failures with their English sentences. The agent reads the sentence and tries another way. */
  readonly errors?: Readonly<Record<string, string>>;
  /** Fields of those sentences that hold what the plug-in itself made, and never words of a person. */
  readonly ownErrorFields?: readonly string[];
  /** Folder of its SQL files, which `migrate` runs once each, in the order of their names. */
  readonly migrations?: URL;
  /** Its tables: what each service may do with them, in the words of GRANT. A service that is not named may do nothing. */
  readonly tables?: PluginTables['tables'];
  /** Conditions of SQL for the rows that a service may reach. A table that is named here is closed to every other service. */
  readonly rows?: PluginTables['rows'];
  /** Folder of its Cedar policies, with their examples in `examples/`. */
  readonly policies?: URL;
  /** Codes that it sends to people, for the gateway, which writes them and takes them out of what people type. */
  readonly challenges?: ChallengeStore;
  /** Gives the people of a demo, by their keys, something to try. Twice is safe. */
  readonly seedDemo?: (db: Queryable, userKeys: readonly string[]) => Promise<void>;
}

/** Where a plug-in keeps the challenges whose codes it had sent. */
export interface ChallengeStore {
  /** The codes that these accounts may type, the likeliest first. */
  list(db: Queryable, userKeys: readonly string[]): Promise<ReadonlyMap<string, readonly Challenge[]>>;
  /** Stores the mark of the code that is about to be sent. False when the challenge is none of its own or over. Idempotent. */
  markSent(db: Queryable, challengeId: string, mark: string): Promise<boolean>;
}

/** Declares a plug-in: the default export of its `src/index.ts`. */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}
