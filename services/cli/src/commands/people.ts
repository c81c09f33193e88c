import { Role } from '@signalbox/shared/contracts/roles';
import { listUsers, putUser, removeUser } from '@signalbox/shared/db/users';
import { UsageError, type CommandContext, type Report } from '../command.ts';
import { formatTable } from '../table.ts';

const USAGE = 'Write: people list | people add <id> <name> <role> | people remove <id>';

/** Lists who may speak, lets people in, gives roles and takes them away. */
export async function runPeople(context: CommandContext): Promise<Report> {
  const [verb, id, ...rest] = context.arguments.words;
  if (verb === 'list') return listPeople(context);
  if (verb === 'add' && id !== undefined) return addPerson(context, id, rest);
  if (verb === 'remove' && id !== undefined && rest.length === 0) return removePerson(context, id);
  throw new UsageError(USAGE);
}

async function listPeople({ database }: CommandContext): Promise<Report> {
  const people = await listUsers(database());
  const rows = people.map(({ userKey, name, role, channel }) => [userKey, name, role, channel]);
  const lines = people.length > 0 ? formatTable(['ID', 'NAME', 'ROLE', 'CHANNEL'], rows) : ['Nobody may speak yet.'];
  return { ok: true, data: people, lines };
}

async function addPerson({ database }: CommandContext, id: string, rest: readonly string[]): Promise<Report> {
  const role = Role.safeParse(rest.at(-1));
  const name = rest.slice(0, -1).join(' ').trim();
  if (!role.success || name === '') throw new UsageError(`${USAGE}\nRoles: ${Role.options.join(', ')}`);
  const person = { userKey: id, channel: channelOf(id), name, role: role.data };
  await putUser(database(), person);
  return { ok: true, data: person, lines: [`${name} (${id}) may speak now, as ${role.data}.`] };
}

async function removePerson({ database }: CommandContext, id: string): Promise<Report> {
  const removed = await removeUser(database(), id);
  const admins = (await listUsers(database())).filter(({ role }) => role === 'admin').length;
  const lines = [removed ? `${id} is a stranger again.` : `${id} had no role; nothing was changed.`];
  if (admins === 0) lines.push('There is no admin now. `owner-code` makes a code for the next one.');
  return { ok: true, data: { userKey: id, removed, admins }, lines };
}

/** A Telegram id is a number; ids of other channels carry the channel's name: `whatsapp-49170…`. */
function channelOf(id: string): string {
  if (/^[1-9]\d{0,19}$/.test(id)) return 'telegram';
  const channel = /^([a-z]+)-\S+$/.exec(id)?.[1];
  if (channel !== undefined) return channel;
  throw new UsageError(
    `'${id}' is no id. A Telegram id is a number: the person's own /whoami or first message shows it.`,
  );
}
