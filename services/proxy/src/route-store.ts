import { allowMissing } from '@signalbox/contracts/system-error';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Route } from '@signalbox/contracts/operations/traffic';
import { AppError } from '@signalbox/contracts/errors';
import { z } from 'zod';

const StoredRoutes = z.object({
  routes: z.array(z.object({ route: Route, since: z.iso.datetime() })),
  /** Epochs of services whose route was removed: lower epochs stay refused. */
  removed: z.record(z.string(), z.number().int().nonnegative()),
});
export type StoredRoutes = z.infer<typeof StoredRoutes>;

/** Stores routes in a file, for one process and one save at a time. */
export function createRouteStore(file: string) {
  const folder = dirname(file);
  return {
    /** Reads the saved state; empty at the first start. Throws STARTUP_REFUSED for an unreadable file. */
    load: async (): Promise<StoredRoutes> => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const text = await allowMissing(readFile(file, 'utf8'));
      if (text === null) return { routes: [], removed: {} };
      try {
        return StoredRoutes.parse(JSON.parse(text));
      } catch (error) {
        const reason = `${file} is not a list of routes; restore it, or delete it and deploy each service again.`;
        throw new AppError('STARTUP_REFUSED', { reason }, error);
      }
    },
    /** Saves durably, even against power loss. A crash leaves the previous state. */
    save: async (stored: StoredRoutes): Promise<void> => {
      const next = `${file}.next`;
      const handle = await open(next, 'w', 0o600);
      try {
        await handle.writeFile(`${JSON.stringify(stored, null, 2)}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(next, file);
      const parent = await open(folder, 'r'); // Syncing the folder makes the rename durable.
      try {
        await parent.sync();
      } finally {
        await parent.close();
      }
    },
  };
}

export type RouteStore = ReturnType<typeof createRouteStore>;
