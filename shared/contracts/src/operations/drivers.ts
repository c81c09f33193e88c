import { z } from 'zod';

/** Properties of a driver, so that other code does not have to compare driver names. */
export interface DriverTraits {
  /** True when the server is this machine, where a port can be bound to see whether it is free. */
  readonly isLocal: boolean;
  /** True when an engine runs images with ports of their own; false when confined programs share the machine's ports. */
  readonly runsImages: boolean;
  /** True when the driver needs a login with user and key, and an approved host key. */
  readonly needsLogin: boolean;
}

/** Every driver. To add a driver, add an entry here, and its folder and entry in services/jobs/src/drivers/. */
const DRIVERS = {
  process: { isLocal: true, runsImages: false, needsLogin: false },
  docker: { isLocal: true, runsImages: true, needsLogin: false },
  ssh: { isLocal: false, runsImages: true, needsLogin: true },
} as const satisfies Readonly<Record<string, DriverTraits>>;

export type DriverName = keyof typeof DRIVERS;
// Object.keys returns string[]
export const DriverName = z.enum(Object.keys(DRIVERS) as [DriverName]);

export function getDriverTraits(driver: DriverName): DriverTraits {
  return DRIVERS[driver];
}

/** The result of a build, which a rollback can start again. Stored as JSON. */
export interface BuildArtifact {
  readonly kind: 'folder' | 'image';
  /** Id that the server's driver gave the artifact; not a tag or branch. */
  readonly ref: string;
}

/** A started program. Stored as JSON, which suffices to find the same program again. */
export interface ProgramInstance {
  readonly ref: string;
  readonly host: string;
  readonly port: number;
  readonly startedAt: string;
}
