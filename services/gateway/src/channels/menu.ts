import type { MessageKey } from '@signalbox/messages/say';
import { COMMANDS } from '../commands/registry.ts';

/*
 * What clients offer after "/". Names are English everywhere, because they are typed; the descriptions are sentences of the
 * catalog, short enough for a phone, in the language of the person's client, and in English where the catalog does not have that.
 */

/** A command that clients offer. */
export interface MenuEntry {
  readonly command: string;
  readonly description: MessageKey;
  /** Its answer is for its sender alone: in a group only the bot sees the command, where the client can do that. */
  readonly personal: boolean;
}

/** For every role. */
export const MENU = listEntries(false);
/** For admins besides. */
export const ADMIN_MENU = listEntries(true);

function listEntries(ofAdmins: boolean): readonly MenuEntry[] {
  return COMMANDS.flatMap(({ name, who, personal, menu }) =>
    menu !== null && (who === 'admin') === ofAdmins ? [{ command: name, description: menu.description, personal }] : [],
  );
}
