import { grantUserRole } from '@signalbox/store/people/users';
import type { SoakField } from '../field.ts';
import { openProgramVoice } from './program.ts';
import { openTelegramVoice } from './telegram.ts';
import type { Voice } from './voice.ts';
import { openWebVoice } from './web.ts';
import { openWhatsAppVoice } from './whatsapp.ts';

const FIRST_PERSON = 50_001;
/** The channels that people write in, one after the other. */
const CHANNELS = ['telegram', 'telegram', 'telegram', 'web', 'whatsapp'] as const;

/** Developers in every channel, and the programs. */
export async function openVoices(field: SoakField, people: number): Promise<readonly Voice[]> {
  const { pool, simulatorUrl, whatsAppUrl, gatewayUrl, programs } = field;
  const open = {
    telegram: async (id: number) => {
      await allow({ userKey: String(id), channel: 'telegram', name: `P${id}` });
      return openTelegramVoice(simulatorUrl, id);
    },
    web: async (id: number) => {
      // Whoever signs in at the page was somebody in Telegram before.
      await allow({ userKey: String(id), channel: 'telegram', name: `P${id}` });
      return openWebVoice(pool, gatewayUrl, id);
    },
    whatsapp: async (id: number) => {
      const voice = await openWhatsAppVoice(whatsAppUrl, id);
      await allow({ userKey: voice.userKey, channel: 'whatsapp', name: `P${id}` });
      return voice;
    },
  };
  const allow = (account: { readonly userKey: string; readonly channel: string; readonly name: string }) =>
    grantUserRole(pool, { ...account, role: 'developer' });
  const voices: Voice[] = [];
  for (let n = 0; n < people; n++)
    voices.push(await open[CHANNELS[n % CHANNELS.length] ?? 'telegram'](FIRST_PERSON + n));
  const first = FIRST_PERSON + people;
  return [...voices, ...programs.map((one, n) => openProgramVoice(one, one.receiver, first + n))];
}
