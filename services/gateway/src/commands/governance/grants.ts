import { plainName } from '@signalbox/contracts/plain-name';
import { listGrants, revokeGrant } from '@signalbox/store/governance/grants';
import type { ChatCommand } from '../chat-command.ts';
import * as words from '../governance-words.ts';
import { recordCommand } from '../record.ts';

/** `/grants` lists what is allowed for a while; `/grants revoke <id>` takes one back. */
export default {
  name: 'grants',
  who: 'operator',
  personal: true,
  menu: null,
  help: null,
  answer: async ({ db }, typed, asked) => {
    const [, id] = /^revoke\s+(grant_\w+)$/.exec(typed) ?? [];
    if (id === undefined) return { text: words.grants(await listGrants(db)) };
    const gone = await revokeGrant(db, id, asked.envelope.userKey);
    if (!gone) return { text: words.noGrant(plainName(id)) };
    const data = { role: asked.role, grantId: gone.grantId, tool: gone.tool, of: gone.userKey };
    await recordCommand(db, asked, 'grant.revoked', data);
    return { text: words.revoked(gone) };
  },
} satisfies ChatCommand;
