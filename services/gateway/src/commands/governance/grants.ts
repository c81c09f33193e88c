import { toPlainName } from '@signalbox/contracts/plain-name';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { listGrants, revokeGrant, type Grant } from '@signalbox/store/governance/grants';
import type { ChatCommand } from '../chat-command.ts';
import { auditCommand } from '../record.ts';

export default {
  name: 'grants',
  who: 'operator',
  personal: true,
  menu: null,
  help: null,
  answer: async ({ db }, typed, asked) => {
    const [, id] = /^revoke\s+(grant_\w+)$/.exec(typed) ?? [];
    if (id === undefined) return { text: describeGrants(await listGrants(db)) };
    const revoked = await revokeGrant(db, id, asked.envelope.userKey);
    if (!revoked) return { text: say('control.no-grant', { id: toPlainName(id) }) };
    const data = { grantId: revoked.grantId, tool: revoked.tool, of: revoked.userKey };
    await auditCommand(db, asked, 'grant.revoked', data);
    return { text: say('control.revoked', { tool: revoked.tool, grantId: revoked.grantId }) };
  },
} satisfies ChatCommand;

function describeGrants(list: readonly Grant[], now = Date.now()): string {
  if (list.length === 0) return say('control.no-grants');
  const lines = list.map(({ grantId, tool, userKey, match, usesLeft, expiresAt }) => {
    const args = Object.entries(match).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    return say('control.grant', {
      tool,
      match: args.join(' ').replaceAll('`', 'ˋ'),
      userKey,
      uses: usesLeft,
      left: sayDuration(Math.max(0, expiresAt.getTime() - now)),
      grantId,
    });
  });
  return `${say('control.grants')}\n${lines.join('\n')}\n\n${say('control.grants-usage')}`;
}
