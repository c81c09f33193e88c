import { randomBytes } from 'node:crypto';
import { runCommandLine } from '@signalbox/cli/command-line';
import pg from 'pg';

/** A login as docs/operations.md has it for services: a member of their role, and the owner of nothing. */
export interface MemberLogin {
  readonly url: string;
  /** Takes the login away; whoever still uses the database goes with it. */
  close(): Promise<void>;
}

/** Migrates a database with the command line, as its owner, and makes a login for its services. */
export async function openMemberLogin(ownerUrl: string): Promise<MemberLogin> {
  const login = `member_${randomBytes(6).toString('hex')}`;
  const password = randomBytes(12).toString('hex');
  const say = { out: () => undefined, error: (text: string) => void process.stderr.write(text) };
  if ((await runCommandLine(['migrate'], say, { DATABASE_URL: ownerUrl })) !== 0) throw new Error('migrate failed');
  await asOwner(ownerUrl, [`create role ${login} login password '${password}'`, `grant signalbox_app to ${login}`]);
  const url = new URL(ownerUrl);
  url.username = login;
  url.password = password;
  return { url: url.href, close: () => asOwner(ownerUrl, [`drop role ${login}`]) };
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
