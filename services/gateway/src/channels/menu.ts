/*
 * What clients offer after "/". Names are English everywhere, because they are typed; the descriptions are sentences of the
 * catalog, short enough for a phone, in the language of the person's client.
 */

/** Languages of the descriptions; English is for everybody else. */
export const MENU_LANGUAGES = ['en', 'de', 'es', 'fr', 'ru', 'uk', 'zh'] as const;

/** A command that clients offer; its description is `menu.<command>` of the catalog. */
export interface MenuEntry {
  readonly command:
    'new' | 'stop' | 'status' | 'approvals' | 'why' | 'secret' | 'help' | 'mute' | 'whoami' | AdminEntry;
  /** Its answer is for its sender alone: in a group only the bot sees the command, where the client can do that. */
  readonly personal: boolean;
}
type AdminEntry = 'people' | 'invite' | 'allow' | 'deny' | 'users' | 'role' | 'queues';

/** For everybody. */
export const MENU: readonly MenuEntry[] = [
  { command: 'new', personal: false },
  { command: 'stop', personal: false },
  { command: 'status', personal: true },
  { command: 'approvals', personal: true },
  { command: 'why', personal: true },
  { command: 'secret', personal: true },
  { command: 'help', personal: true },
  { command: 'mute', personal: true },
  { command: 'whoami', personal: true },
];

/** For admins besides. */
export const ADMIN_MENU: readonly MenuEntry[] = [
  { command: 'people', personal: true },
  { command: 'invite', personal: true },
  { command: 'allow', personal: true },
  { command: 'deny', personal: true },
  { command: 'users', personal: true },
  { command: 'role', personal: true },
  { command: 'queues', personal: true },
];
