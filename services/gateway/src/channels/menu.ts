import type { MessageKey } from '@signalbox/messages/say';
import { COMMANDS } from '../commands/registry.ts';

/*
 * Command menus of clients. Names are English everywhere, since they are typed; descriptions are short catalog
 * sentences in the client's language, or English.
 */

/** A menu entry of a command. */
export interface MenuEntry {
  readonly command: string;
  readonly description: MessageKey;
  /** Only its sender sees the answer: in a group the client hides the command from others, if it can. */
  readonly personal: boolean;
}

/** The menu for every role. */
export const MENU = listEntries(false);
/** Additional entries for admins. */
export const ADMIN_MENU = listEntries(true);

function listEntries(forAdmins: boolean): readonly MenuEntry[] {
  return COMMANDS.flatMap(({ name, who, personal, menu }) =>
    menu !== null && (who === 'admin') === forAdmins
      ? [{ command: name, description: menu.description, personal }]
      : [],
  );
}
