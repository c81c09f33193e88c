import { allowMissing } from '@signalbox/contracts/system-error';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Route } from '@signalbox/contracts/operations/traffic';
import { AppError } from '@signalbox/contracts/errors';
import { z } from 'zod';

/** All that has to be there again after a restart. */
const Stored = z.object({
  routes: z.array(z.object({ route: Route, since: z.iso.datetime() })),
  /** Fences of services whose route was taken away: what is older stays refused. */
  removed: z.record(z.string(), z.number().int().nonnegative()),
});
export type Stored = z.infer<typeof Stored>;

/** Keeps routes in one file. Only one process may have it, and only one save at a time. */
export function createRouteStore(file: string) {
  const folder = dirname(file);
  return {
    /** What was saved last; nothing at the first start. Throws STARTUP_REFUSED when the file cannot be understood. */
    load: async (): Promise<Stored> => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const text = await allowMissing(readFile(file, 'utf8'));
      if (text === null) return { routes: [], removed: {} };
      try {
        return Stored.parse(JSON.parse(text));
      } catch (error) {
        const reason = `${file} is not a list of routes; restore it, or delete it and deploy each service again.`;
        throw new AppError('STARTUP_REFUSED', { reason }, error);
      }
    },
    /** Settles when it would survive a loss of power. A crash in between leaves what was there before. */
    save: async (stored: Stored): Promise<void> => {
      const next = `${file}.next`;
      const handle = await open(next, 'w', 0o600);
      try {
        await handle.writeFile(`${JSON.stringify(stored, null, 2)}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(next, file);
      const parent = await open(folder, 'r'); // the new name is durable with its folder
      try {
        await parent.sync();
      } finally {
        await parent.close();
      }
    },
  };
}

export type RouteStore = ReturnType<typeof createRouteStore>;
