import type { ServiceWithLogin } from './service-rights.ts';

/** The tables of a plug-in, as the migration needs to know them. */
export interface PluginTables {
  readonly name: string;
  /** Absolute path of the folder with its SQL files. */
  readonly folder: string;
  /** By table and service: what the service may do, in the words of GRANT. */
  readonly tables: Readonly<Record<string, ByService>>;
  /** By table and service: a condition of SQL for the rows that the service may reach. */
  readonly rows: Readonly<Record<string, ByService>>;
}

type ByService = Partial<Readonly<Record<ServiceWithLogin, string>>>;

/** The table in which the migrations of a plug-in are recorded. */
export function getMigrationTable(plugin: string): string {
  return `migrations_of_${plugin.replaceAll('-', '_')}`;
}
