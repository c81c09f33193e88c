import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import type { ErrorGroup } from '@signalbox/store/deploy/error-groups';
import type { Incident } from '@signalbox/store/deploy/incidents';

/** What went wrong lately. */
export interface ErrorHistory {
  /** Alike errors in groups, of those seen since then, the newest first. */
  groups(filter: Partial<ServiceKey> & { readonly since: Date }, limit: number): Promise<readonly ErrorGroup[]>;
  /** What is broken now, the oldest first. */
  incidents(): Promise<readonly Incident[]>;
}
