import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Route } from '@signalbox/contracts/operations/traffic';
import { newId } from '@signalbox/contracts/ids';
import { allowMissing } from '@signalbox/contracts/system-error';
import { z } from 'zod';

/** The last route set for a service. A removed route keeps its epoch. */
const HaproxyState = z.object({ route: Route, since: z.iso.datetime(), isRemoved: z.boolean() });
export type HaproxyState = z.infer<typeof HaproxyState>;

/** One file per service, written atomically. */
export function createHaproxyStates(folder: string): {
  readonly read: (service: string) => Promise<HaproxyState | null>;
  readonly write: (state: HaproxyState) => Promise<void>;
} {
  const fileOf = (service: string): string => join(folder, `${encodeURIComponent(service)}.json`);
  return {
    read: async (service) => {
      const text = await allowMissing(readFile(fileOf(service), 'utf8'));
      return text === null ? null : HaproxyState.parse(JSON.parse(text));
    },
    write: async (state) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = fileOf(state.route.service);
      const next = `${file}.${newId('tmp')}`; // several processes may write at once
      const handle = await open(next, 'wx', 0o600);
      try {
        await handle.writeFile(`${JSON.stringify(state)}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(next, file);
    },
  };
}
