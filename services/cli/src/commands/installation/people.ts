import { Role } from '@signalbox/contracts/governance/roles';
import { withTransaction } from '@signalbox/store/pool';
import { findUserChannel } from '@signalbox/contracts/conversation/chat-key';
import { restoreAccount } from '@signalbox/store/people/vacated-accounts';
import { grantUserRole, removeUser, findUser, listUsers } from '@signalbox/store/people/users';
import { recordChange } from '../../actor.ts';
import { runSubcommand, UsageError, type CommandContext, type CommandResult } from '../../command.ts';
import { formatList } from '../../table.ts';

const LAST_ADMIN =
  'is the only admin, and nobody could let others in any more. Make somebody else an admin first, or add --force.';

/** Lists people with roles, adds people, changes and removes roles. */
export async function runPeople(context: CommandContext): Promise<CommandResult> {
  const [verb, id, ...rest] = context.arguments.words;
  // Names may have several words.
  if (verb === 'add' && id !== undefined) return addPerson(context, id, rest);
  return runSubcommand(context, { list: { words: 0, run: listPeople }, remove: { words: 1, run: removePerson } });
}

async function listPeople({ database }: CommandContext): Promise<CommandResult> {
  const people = await listUsers(database());
  const rows = people.map(({ userKey, name, role, channel }) => [userKey, name, role, channel]);
  const lines = formatList(['ID', 'NAME', 'ROLE', 'CHANNEL'], rows, 'Nobody may speak yet.');
  return { ok: true, data: people, lines };
}

async function addPerson(context: CommandContext, id: string, rest: readonly string[]): Promise<CommandResult> {
  const role = Role.safeParse(rest.at(-1));
  const name = rest.slice(0, -1).join(' ').trim();
  if (!role.success || name === '')
    throw new UsageError(`Write: people add <id> <name> <role>. Roles: ${Role.options.join(', ')}`);
  const person = { userKey: id, channel: requireChannel(id), name, role: role.data };
  const change = await withTransaction(context.database(), async (db) => {
    await restoreAccount(db, id);
    const known = await findUser(db, id);
    const made = await grantUserRole(db, person, context.arguments.force);
    if (made === 'added' || made === 'changed')
      await recordChange(db, context.actor, 'role.changed', { person: id, from: known?.role ?? null, to: role.data });
    return made;
  });
  if (change === 'last admin') return refuse(id);
  return { ok: true, data: person, lines: [`${name} (${id}) may speak now, as ${role.data}.`] };
}

async function removePerson(
  { database, actor, arguments: { force } }: CommandContext,
  id: string,
): Promise<CommandResult> {
  const { change, factsForgotten } = await withTransaction(database(), async (db) => {
    const known = await findUser(db, id);
    const made = await removeUser(db, id, force);
    const lost = { person: id, from: known?.role ?? null, to: null, factsForgotten: made.factsForgotten };
    if (made.change === 'removed') await recordChange(db, actor, 'role.changed', lost);
    return made;
  });
  if (change === 'last admin') return refuse(id);
  const removed = change === 'removed';
  const admins = (await listUsers(database())).filter(({ role }) => role === 'admin').length;
  const lines = [removed ? `${id} no longer has a role here.` : `${id} had no role; nothing was changed.`];
  if (factsForgotten > 0) lines.push(`Forgotten with it: ${factsForgotten} facts that they had remembered.`);
  if (admins === 0) lines.push('There is no admin now. `owner-code` makes a code for the next one.');
  return { ok: true, data: { userKey: id, removed, admins, factsForgotten }, lines };
}

function refuse(id: string): CommandResult {
  return { ok: false, data: { userKey: id, refused: 'last admin' }, lines: [`${id} ${LAST_ADMIN}`] };
}

function requireChannel(id: string): string {
  const channel = findUserChannel(id);
  if (channel !== null) return channel;
  throw new UsageError(
    `'${id}' is no id. A Telegram id is a number: the person's own /whoami or first message shows it.`,
  );
}
