import { definePlugin } from '@signalbox/plugins/plugin';
import { ERRORS } from './errors.ts';

/** An agent that keeps notes of people. */
export default definePlugin({
  name: 'shelf',
  worker: () => import('./worker.ts'),
  languages: new URL('./languages/', import.meta.url),
  errors: ERRORS,
  ownErrorFields: ['limit'],
  migrations: new URL('../postgres/', import.meta.url),
  tables: {
    shelf_people: { worker: 'select, insert' },
    shelf_notes: { worker: 'select, insert' },
  },
  policies: new URL('../policy/', import.meta.url),
});
