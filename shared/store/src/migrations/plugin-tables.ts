import type { ServiceWithLogin } from './service-rights.ts';

export interface PluginTables {
  readonly name: string;
  /** Absolute path of the folder with the plug-in's SQL files. */
  readonly folder: string;
  /** Rights by table and service, in the syntax of GRANT. */
  readonly tables: Readonly<Record<string, ByService>>;
  /** Row conditions by table and service, in SQL: the service can only access rows for which the condition is true. */
  readonly rows: Readonly<Record<string, ByService>>;
}

type ByService = Partial<Readonly<Record<ServiceWithLogin, string>>>;

/** Names the table that records the migrations of a plug-in. */
export function getMigrationTable(plugin: string): string {
  return `migrations_of_${plugin.replaceAll('-', '_')}`;
}
