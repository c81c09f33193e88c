import { Environment } from '@signalbox/contracts/conversation/fields';
import { HOUR_MS } from '@signalbox/contracts/time';
import { listServicesBriefly, muteServiceWithin } from '@signalbox/store/deploy/service-looks';
import * as words from '../admin-words.ts';
import type { ChatCommand } from '../chat-command.ts';
import { recordCommand } from '../record.ts';

const MOST_HOURS = 7 * 24;

/** `/mute shop staging 2` keeps messages about its health away for two hours; `/mute` shows what is muted. */
export default {
  name: 'mute',
  who: 'developer',
  personal: true,
  menu: { place: 80, description: 'menu.mute' },
  help: 'help.mute',
  answer: async ({ db }, typed, asked) => {
    const now = Date.now();
    if (typed === '') return { text: words.muted(await listServicesBriefly(db), now) };
    const [project = '', named = '', hoursTyped = '1', ...more] = typed.toLowerCase().split(/\s+/);
    const environment = Environment.safeParse(named);
    const hours = Number(hoursTyped.replace(/h$/, ''));
    if (!environment.success || more.length > 0 || !Number.isInteger(hours) || hours < 0 || hours > MOST_HOURS)
      return { text: words.MUTE_USAGE };
    const service = { project, environment: environment.data };
    const until = hours === 0 ? null : new Date(now + hours * HOUR_MS);
    if (!(await muteServiceWithin(db, service, until, asked.envelope.userKey)))
      return { text: words.noService(service, await listServicesBriefly(db)) };
    const data = { role: asked.role, ...service, until: until?.toISOString() ?? null };
    await recordCommand(db, asked, 'service.muted', data);
    return { text: words.mutedNow(service, hours), personal: false };
  },
} satisfies ChatCommand;
