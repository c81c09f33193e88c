import type { ServiceKey } from '@signalbox/shared/contracts/deploy';
import type { ErrorGroup } from '@signalbox/shared/db/error-groups';
import type { Incident } from '@signalbox/shared/db/incidents';

/** What went wrong lately. */
export interface ErrorHistory {
  /** Alike errors in groups, of those seen since then, the newest first. */
  groups(filter: Partial<ServiceKey> & { readonly since: Date }, limit: number): Promise<readonly ErrorGroup[]>;
  /** What is broken now, the oldest first. */
  incidents(): Promise<readonly Incident[]>;
}
