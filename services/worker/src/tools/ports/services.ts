import type { ServiceKey } from '@signalbox/contracts/operations/deploy';

/** A project in an environment. */
export interface Service extends ServiceKey {
  readonly server: string;
  /** Where people reach it; null before the first deployment. */
  readonly port: number | null;
  readonly url: string | null;
  /** The deployment that serves, and its release. */
  readonly serving: string | null;
  readonly release: string | null;
  readonly mutedUntil: Date | null;
}

/** An environment variable; the value of a secret is not read by anybody but the program that gets it. */
export interface ServiceVariable {
  readonly name: string;
  readonly value: string | null;
  readonly secret: string | null;
  readonly givenBy: string;
}

/** What runs where. */
export interface Services {
  list(filter: Partial<ServiceKey>): Promise<readonly Service[]>;
  find(service: ServiceKey): Promise<Service | null>;
  /**
   * The deployment that the stop of this id has begun to end, or (as for null) that a stop would end: what serves, or what an earlier
   * stop has not brought to its end. Null without one.
   */
  stoppable(
    service: ServiceKey,
    actionId: string | null,
  ): Promise<{ readonly deploymentId: string; readonly isBegun: boolean } | null>;
  variables(service: ServiceKey): Promise<readonly ServiceVariable[]>;
  /**
   * Sets one, for the next deployment; value or secret. Makes the service when it is not there, on `server` or where a deployment
   * would be placed. Idempotent by action id. Throws NOT_FOUND.
   */
  setVariable(
    service: ServiceKey,
    variable: {
      readonly name: string;
      readonly value: string | null;
      readonly secret: string | null;
      readonly givenBy: string;
    },
    actionId: string,
  ): Promise<ServiceVariable>;
  /** Messages about its health stay away until then; null: they come again. Throws NOT_FOUND. */
  mute(service: ServiceKey, until: Date | null, by: string, actionId: string): Promise<Service>;
}
