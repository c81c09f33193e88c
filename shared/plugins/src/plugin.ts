import type { Challenge } from '@signalbox/safety/secrets/step-up-code';
import type { PluginTables } from '@signalbox/store/migrations/plugin-tables';
import type { Queryable } from '@signalbox/store/pool';

/**
 * A plug-in: a folder outside of the core with stateful agents, their tables, codes, sentences and policies. Every service loads this
 * description; only the worker loads the agents behind `worker`. docs/extending/plugins.md explains each field.
 */
export interface Plugin {
  /** Lower-case letters, digits and single hyphens, such as `bank`. Names the record of its migrations. */
  readonly name: string;
  /** Loads the worker's part: a module whose default export is made by `defineWorkerParts`. */
  readonly worker: () => Promise<{ readonly default: object }>;
  /** A folder with a subfolder for each language (`en`, `de`, `es`, `ru`, `zh`), whose JSON files hold its sentences. */
  readonly languages?: URL;
  /** Codes of its failures with their English sentences. The agent reads the sentence and may try another way. */
  readonly errors?: Readonly<Record<string, string>>;
  /** Fields of those sentences that only the plug-in itself fills, never with words of a person. */
  readonly ownErrorFields?: readonly string[];
  /** A folder of SQL files, which `migrate` runs once each, in the order of their names. */
  readonly migrations?: URL;
  /** The tables, with each service's rights in the words of GRANT. A service without an entry has no rights. */
  readonly tables?: PluginTables['tables'];
  /** SQL conditions for the rows that a service may access. All other services have no access to a table with conditions. */
  readonly rows?: PluginTables['rows'];
  /** A folder of Cedar policies, with examples in `examples/`. */
  readonly policies?: URL;
  /** One-time codes for people. The gateway inserts the codes into messages and removes them from what people type. */
  readonly challenges?: ChallengeStore;
  /** Gives the people of a demo, by their keys, data to try. Idempotent. */
  readonly seedDemo?: (db: Queryable, userKeys: readonly string[]) => Promise<void>;
}

/** The challenges whose codes a plug-in has sent. */
export interface ChallengeStore {
  /** The codes that these accounts may type, the likeliest first. */
  list(db: Queryable, userKeys: readonly string[]): Promise<ReadonlyMap<string, readonly Challenge[]>>;
  /** Stores the hash of a code that is about to be sent. False when the challenge belongs to another plug-in or has ended. Idempotent. */
  markSent(db: Queryable, challengeId: string, mark: string): Promise<boolean>;
}

/** Declares a plug-in: the default export of its `src/index.ts`. */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}
