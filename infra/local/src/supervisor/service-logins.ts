import { randomBytes } from 'node:crypto';
import { buildRedisUserRules, REDIS_SERVICES, type RedisService } from '@signalbox/platform/redis-users';
import { formatMemberLogin, setMemberLogins } from '@signalbox/store/migrations/service-logins';
import { getServiceRole } from '@signalbox/store/migrations/service-rights';
import { getInheritedEnvironment, type LocalConfig } from '../config.ts';
import { describeError } from '../describe-error.ts';
import { SetupError } from '../setup-error.ts';
import { hashPath } from '../checkout.ts';

/** The password of each service, drawn at each start and never stored. */
export type ServicePasswords = Readonly<Record<RedisService, string>>;

/** A Redis user and the rules of its ACL SETUSER command. */
export interface RedisUser {
  readonly name: string;
  readonly rules: readonly string[];
}

/** URLs with the user and password of one service. */
export interface ServiceLogin {
  readonly DATABASE_URL: string;
  readonly REDIS_URL: string;
}

/** Draws a random password for each service. */
export function createPasswords(): ServicePasswords {
  const drawn = REDIS_SERVICES.map((service) => [service, randomBytes(24).toString('hex')]);
  return Object.fromEntries(drawn) as ServicePasswords; // REDIS_SERVICES has every service
}

/** Lists the users for the Redis that `npm start` starts. */
export function describeRedisUsers(passwords: ServicePasswords): readonly RedisUser[] {
  const prefix = getInheritedEnvironment()['REDIS_PREFIX'] ?? '';
  return REDIS_SERVICES.map((name) => ({ name, rules: buildRedisUserRules(name, passwords[name], prefix) }));
}

/** Returns the variables from which `signalbox migrate` sets the Postgres passwords. */
export function listDatabasePasswords(passwords: ServicePasswords): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(passwords).map(([service, password]) => [`DATABASE_PASSWORD_${service.toUpperCase()}`, password]),
  );
}

/** Creates a user per service in an external Postgres. Throws SetupError when DATABASE_URL may not create users. */
export async function createServiceUsers(
  databaseUrl: string,
  dataDir: string,
  passwords: ServicePasswords,
): Promise<void> {
  try {
    await setMemberLogins(databaseUrl, toInstallationId(dataDir), passwords);
  } catch (cause) {
    const login = decodeURIComponent(new URL(databaseUrl).username);
    throw new SetupError(
      'No service may log in as the owner of its tables, and DATABASE_URL may not make other logins.',
      {
        output: describeError(cause),
        remedy: `Let an administrator of that Postgres run: alter role "${login}" createrole; or start without DATABASE_URL.`,
        cause,
      },
    );
  }
}

/** Hashes the data folder, so that two installations on one Postgres have separate users. */
function toInstallationId(dataDir: string): string {
  return hashPath(dataDir).slice(0, 8);
}

/**
 * Returns a function that builds the login URLs of a service. Each service has its own Postgres user, and its own user in the Redis that
 * `npm start` starts. An external Redis loses users when it restarts, so there all services use REDIS_URL.
 */
export function createLoginBuilder(
  config: LocalConfig,
  servers: { readonly databaseUrl: string; readonly redisUrl: string },
  passwords: ServicePasswords,
): (service: RedisService) => ServiceLogin {
  return (service) => {
    const own = (url: string, username: string): string => {
      const login = Object.assign(new URL(url), { username, password: passwords[service] });
      return login.href;
    };
    return {
      DATABASE_URL: own(
        servers.databaseUrl,
        config.DATABASE_URL === undefined
          ? getServiceRole(service)
          : formatMemberLogin(service, toInstallationId(config.SIGNALBOX_DATA_DIR)),
      ),
      REDIS_URL: config.REDIS_URL ?? own(servers.redisUrl, service),
    };
  };
}
