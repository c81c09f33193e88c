import type { MessageKey } from '@signalbox/messages/say';
import { COMMANDS } from '../commands/registry.ts';

/* The menus of commands in clients. Names are typed and so English everywhere; descriptions are in the client's language. */

export interface MenuEntry {
  readonly command: string;
  readonly description: MessageKey;
  /** True when only the sender sees the answer: in a group the client then hides the command from others, if it can. */
  readonly personal: boolean;
}

export const COMMAND_MENU = listEntries(false);
export const ADMIN_MENU = listEntries(true);

function listEntries(forAdmins: boolean): readonly MenuEntry[] {
  return COMMANDS.flatMap(({ name, who, personal, menu }) =>
    menu !== null && (who === 'admin') === forAdmins
      ? [{ command: name, description: menu.description, personal }]
      : [],
  );
}
