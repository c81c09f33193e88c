import { DriverName, getDriverTraits, type DriverTraits } from '@signalbox/contracts/operations/drivers';
import type { Driver } from '@signalbox/jobs/drivers/driver';
import type { DriverDeps, TargetServer } from '@signalbox/jobs/drivers/driver-deps';
import { openDriver } from '@signalbox/jobs/drivers/open-driver';
import { createSpareDriver } from '../examples/spare-driver.ts';

/** Drivers that the product's two tables do not have, as they would stand there. */
const EXAMPLES = {
  spare: { traits: { isLocal: true, runsImages: false, needsLogin: false }, create: createSpareDriver },
} as const satisfies Readonly<
  Record<string, { traits: DriverTraits; create: (server: TargetServer, parts: DriverDeps) => Driver }>
>;

/** A server of a driver of the product, or of an example. */
export type TestServer = Omit<TargetServer, 'driver'> & { readonly driver: DriverName | keyof typeof EXAMPLES };

/** The driver of a server, as the product opens it. An example is taken only for a name that the product's tables do not have. */
export async function openTestDriver(server: TestServer, parts: DriverDeps): Promise<Driver> {
  const example = exampleOf(server);
  return example ? example.create({ ...server, driver: null }, parts) : openDriver(asShipped(server), parts);
}

/** What the driver of a server is like. */
export function traitsOfTest(server: TestServer): DriverTraits {
  return exampleOf(server)?.traits ?? getDriverTraits(DriverName.parse(server.driver));
}

function exampleOf({ driver }: TestServer) {
  const isShipped = DriverName.safeParse(driver).success;
  return isShipped ? null : Object.entries(EXAMPLES).find(([name]) => name === driver)?.[1];
}

function asShipped(server: TestServer): TargetServer {
  return { ...server, driver: DriverName.parse(server.driver) };
}
