import { randomBytes } from 'node:crypto';
import { runCommandLine } from '@signalbox/cli/command-line';
import { DATABASE_SERVICES, serviceRole, type ServiceWithLogin } from '@signalbox/store/migrations/service-rights';
import pg from 'pg';

/** Logins as docs/operations.md has them: each is a member of the role of one service, and the owner of nothing. */
export interface MemberLogins {
  readonly urls: Readonly<Record<ServiceWithLogin, string>>;
  /** Takes the logins away; whoever still uses the database goes with them. */
  close(): Promise<void>;
}

/** Migrates a database with the command line, as its owner, and makes a login for each of its services. */
export async function openMemberLogins(ownerUrl: string): Promise<MemberLogins> {
  const run = randomBytes(6).toString('hex');
  const say = { out: () => undefined, error: (text: string) => void process.stderr.write(text) };
  if ((await runCommandLine(['migrate'], say, { DATABASE_URL: ownerUrl })) !== 0) throw new Error('migrate failed');
  const logins = DATABASE_SERVICES.map((service) => {
    const password = randomBytes(12).toString('hex');
    return { service, login: `${service}_${run}`, password };
  });
  const made = logins.flatMap(({ service, login, password }) => [
    `create role ${login} login password '${password}'`,
    `grant ${serviceRole(service)} to ${login}`,
  ]);
  await asOwner(ownerUrl, made);
  const urlOf = ({ login, password }: (typeof logins)[number]): string => {
    const url = new URL(ownerUrl);
    url.username = login;
    url.password = password;
    return url.href;
  };
  const urls = Object.fromEntries(logins.map((one) => [one.service, urlOf(one)]));
  return {
    urls: urls as Record<ServiceWithLogin, string>, // every service has one: they were made from the list of services
    close: () =>
      asOwner(
        ownerUrl,
        logins.map(({ login }) => `drop role ${login}`),
      ),
  };
}

async function asOwner(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
