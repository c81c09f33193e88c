import { z } from 'zod';

/** What differs between the ways to reach a server, for everything that must not ask for a driver by its name. */
export interface DriverTraits {
  /** The server is this machine: its ports can be bound to see whether they are free. */
  readonly isLocal: boolean;
  /** Runs images in an engine, which gives each its own ports. Otherwise it runs programs, confined, which share the machine's. */
  readonly runsImages: boolean;
  /** Is logged in to, with user and key, once a person has approved the host key. */
  readonly needsLogin: boolean;
}

/** Every driver. To add one: an entry here, and its folder and entry in services/jobs/src/drivers/. */
const DRIVERS = {
  process: { isLocal: true, runsImages: false, needsLogin: false },
  docker: { isLocal: true, runsImages: true, needsLogin: false },
  ssh: { isLocal: false, runsImages: true, needsLogin: true },
} as const satisfies Readonly<Record<string, DriverTraits>>;

export type DriverName = keyof typeof DRIVERS;
// The keys of a constant object are its names.
export const DriverName = z.enum(Object.keys(DRIVERS) as [DriverName]);

/** What a driver is like. */
export function traitsOf(driver: DriverName): DriverTraits {
  return DRIVERS[driver];
}

/** What was built, and what a rollback starts again. JSON: it is stored. */
export interface Artifact {
  readonly kind: 'folder' | 'image';
  /** The name that the driver of its server gave it: no tag or branch. */
  readonly ref: string;
}

/** A started program. JSON: it is stored, and says enough to find the very same one again. */
export interface Instance {
  readonly ref: string;
  readonly host: string;
  readonly port: number;
  readonly startedAt: string;
}
