import { defineWorkerParts } from '@signalbox/worker/plugin-parts';
import agent from './agent.ts';
import { createNotes } from './notes.ts';
import tools from './tools.ts';

declare module '@signalbox/worker/tools/ports/ports' {
  interface Ports {
    /** The notes of people. */
    readonly shelf: ReturnType<typeof createNotes>;
  }
}

export default defineWorkerParts({
  agents: [agent],
  groups: [tools],
  ports: ({ pool }) => ({ shelf: createNotes(pool) }),
});
