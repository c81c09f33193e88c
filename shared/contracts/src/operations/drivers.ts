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
