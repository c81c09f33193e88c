import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { getCheckoutPath, hashPath } from '../checkout.ts';
import {
  canOwnerUse,
  copyPrograms,
  locatePrograms,
  readProgramsVersion,
  type ServerOwner,
} from './postgres-programs.ts';
import { SetupError } from '../setup-error.ts';

/** Paths, owner and login of a local Postgres. `owner` is null when Postgres runs as the current user. */
export interface PostgresLocation {
  readonly dir: string;
  readonly programs: string;
  readonly data: string;
  readonly owner: ServerOwner | null;
  readonly password: string;
  readonly port: number | null;
}

/** Id of the user `nobody` on every Linux. Postgres refuses to run as root, so root starts it as `nobody`. */
const NOBODY: ServerOwner = { uid: 65534, gid: 65534 };

/**
 * Root uses this folder when `nobody` cannot reach the checkout, for example in /root (mode 0700). A subfolder per checkout contains a
 * copy of the programs and the databases. The folder given by the caller then keeps only the password and MOVED.txt, which names the new
 * location.
 */
const OPEN_ROOT = '/var/lib/signalbox';

const ServerRecord = z.object({ password: z.string().min(20), port: z.number().int().nullable(), data: z.string() });

/**
 * Chooses where the Postgres of `dir` keeps its data, and stores the choice with a random password in `dir/server.json` (0600). Moves
 * existing databases. Idempotent. Throws SetupError when the folder belongs to another user.
 */
export function choosePostgresLocation(dir: string): PostgresLocation {
  const asRoot = process.getuid?.() === 0;
  mkdirSync(dir, { recursive: true });
  // `nobody` needs to enter the folder. Every secret file has mode 0600, and Postgres's own folder has 0700.
  if (statSync(dir).uid === process.getuid?.()) chmodSync(dir, asRoot ? 0o711 : 0o700);
  const folder = realpathSync(dir);
  const record = readRecord(folder);
  const owner = asRoot ? findOwner(record?.data ?? join(folder, 'data')) : null;
  const programs = locatePrograms();
  const open = owner === null || canOwnerUse(owner, programs, folder);
  const location = open ? { programs, data: join(folder, 'data') } : openLocation(folder, programs);
  if (record === null && !open) setAside(location.data);
  if (record !== null && record.data !== location.data) moveData(record.data, location.data);
  const password = record?.password ?? randomBytes(24).toString('hex');
  const port = record?.port ?? null;
  const complete = { dir: folder, owner, password, port, ...location };
  rememberPort(complete, port);
  if (!open) writeFileSync(join(folder, 'MOVED.txt'), `The databases are in ${location.data}\n`);
  return complete;
}

/** Stores the port, so that the next start uses the same connection URL. */
export function rememberPort(location: PostgresLocation, port: number | null): void {
  const file = join(location.dir, 'server.json');
  writeFileSync(`${file}.new`, JSON.stringify({ password: location.password, port, data: location.data }), {
    mode: 0o600,
  });
  renameSync(`${file}.new`, file);
}

function openLocation(folder: string, programs: string): { readonly programs: string; readonly data: string } {
  const home = join(OPEN_ROOT, hashPath(getCheckoutPath()));
  const copy = join(home, `postgres-${readProgramsVersion()}`);
  mkdirSync(home, { recursive: true });
  for (const path of [OPEN_ROOT, home]) chmodSync(path, 0o755);
  copyPrograms(programs, copy);
  return { programs: copy, data: join(home, `data-${hashPath(folder)}`) };
}

function readRecord(folder: string): z.infer<typeof ServerRecord> | null {
  const file = join(folder, 'server.json');
  if (!existsSync(file)) return null;
  try {
    return ServerRecord.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new SetupError(`${file} cannot be read; it holds the password of the local Postgres.`, {
      output: cause instanceof Error ? cause.message : String(cause),
      remedy: `Start as the user who started it before (root?), or delete ${folder} to begin with empty databases.`,
      cause,
    });
  }
}

/** Returns the user that owns the databases and must run Postgres. */
function findOwner(data: string): ServerOwner {
  if (!existsSync(data)) return NOBODY;
  const { uid, gid } = statSync(data);
  return uid === 0 ? NOBODY : { uid, gid };
}

/** Renames the databases of a deleted checkout, because their password is lost. */
function setAside(data: string): void {
  if (existsSync(data)) renameSync(data, `${data}.left-${Date.now()}`);
}

function moveData(from: string, to: string): void {
  if (!existsSync(from)) return;
  if (existsSync(to) || existsSync(join(from, 'postmaster.pid'))) {
    throw new SetupError(
      `The databases of this checkout are in ${from}, but ${to} is where Postgres can reach them now.`,
      { remedy: `Stop what runs there (${join(from, 'postmaster.pid')} names it), then move the folder yourself.` },
    );
  }
  try {
    renameSync(from, to);
  } catch (cause) {
    throw new SetupError(`The databases could not be moved from ${from} to ${to}.`, {
      remedy: `Move them yourself: mv ${from} ${to}`,
      cause,
    });
  }
}
