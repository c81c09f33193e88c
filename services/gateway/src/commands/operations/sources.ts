import { toPlainName } from '@signalbox/contracts/plain-name';
import { sayAgo } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { listSources, type SourceRow } from '@signalbox/store/incidents/sources';
import type { ChatCommand } from '../chat-command.ts';

/** `/sources` lists the programs that write and the sources of alarms, with when each was heard last. */
export default {
  name: 'sources',
  who: 'admin',
  personal: true,
  menu: { place: 75, description: 'menu.sources' },
  help: null,
  answer: async ({ db }) => {
    const sources = await listSources(db);
    if (sources.length === 0) return { text: say('alarms.noSources') };
    return { text: [say('alarms.sources'), ...sources.map(describeSource)].join('\n') };
  },
} satisfies ChatCommand;

function describeSource({ name, kind, heardAt, open }: SourceRow): string {
  const heard = heardAt === null ? say('alarms.neverHeard') : sayAgo(Date.now() - heardAt.getTime());
  const values = { name: toPlainName(name), heard };
  return kind === null ? say('alarms.program', values) : say('alarms.source', { ...values, kind, open });
}
