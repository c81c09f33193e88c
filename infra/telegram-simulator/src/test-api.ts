import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { CallLog } from './bot-api/call-log.ts';
import { Fault, type Faults } from './bot-api/faults.ts';
import { SettingsChange } from './store/settings.ts';
import type { Store } from './store/store.ts';

const RawUpdate = z.strictObject({ update: z.record(z.string(), z.unknown()) });
const After = z.object({ after: z.coerce.number().pipe(z.int()).default(0) });

/** Serves routes for tests: raw updates, faults, and the bot's calls. */
export function registerTestApi(app: FastifyInstance, deps: { store: Store; faults: Faults; calls: CallLog }): void {
  const { store, faults, calls } = deps;

  app.post('/api/updates', async (request) => {
    const { update } = RawUpdate.parse(request.body);
    return { ok: true, updateId: store.updates.inject(update) };
  });

  app.post('/api/faults', async (request) => {
    faults.add(Fault.parse(request.body));
    return { ok: true };
  });

  app.get('/api/faults', async () => faults.list());

  app.delete('/api/faults', async () => {
    faults.clear();
    return { ok: true };
  });

  app.post('/api/settings', async (request) => {
    Object.assign(store.settings, SettingsChange.parse(request.body));
    return { ok: true, ...store.settings };
  });

  app.get('/api/calls', async (request) => calls.listAfter(After.parse(request.query).after));

  app.get('/api/pending', async () => store.state.updates.size);
}
