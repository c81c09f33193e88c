import {
  getCurrentLanguage,
  runInLanguage,
  LANGUAGES,
  getLanguageName,
  toLanguage,
} from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { setUserLanguage } from '@signalbox/store/people/users';
import type { ChatCommand } from '../chat-command.ts';

/** `/language de` switches to German; `/language auto` follows the person's client again. */
export default {
  name: 'language',
  who: 'viewer',
  personal: true,
  menu: { place: 95, description: 'menu.language' },
  help: 'help.language',
  answer: async ({ db }, typed, { envelope }) => {
    const known = LANGUAGES.map((one) => `\`${one}\` ${getLanguageName(one)}`).join(', ');
    if (typed === '')
      return { text: say('people.language-now', { name: getLanguageName(getCurrentLanguage()), known }) };
    const code = typed.toLowerCase() === 'auto' ? null : toLanguage(typed);
    if (code === null && typed.toLowerCase() !== 'auto') return { text: say('people.language-unknown', { known }) };
    const language = await setUserLanguage(db, envelope.userKey, code);
    return {
      text: runInLanguage(language, () =>
        say('people.language-chosen', { name: getLanguageName(getCurrentLanguage()) }),
      ),
      peopleChanged: true,
    };
  },
} satisfies ChatCommand;
