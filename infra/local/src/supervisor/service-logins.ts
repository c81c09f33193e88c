import { randomBytes } from 'node:crypto';
import { buildRedisUserRules, REDIS_SERVICES, type RedisService } from '@signalbox/platform/redis-users';
import { memberLogin, setMemberLogins } from '@signalbox/store/migrations/service-logins';
import { serviceRole } from '@signalbox/store/migrations/service-rights';
import { inheritedEnvironment, type LocalConfig } from '../config.ts';
import { describeError } from '../describe-error.ts';
import { SetupError } from '../setup-error.ts';
import { hashPath } from '../checkout.ts';

/** Passwords of the services for one run: a new one for each at every start, kept in no file. */
export type ServicePasswords = Readonly<Record<RedisService, string>>;

/** A user and what ACL SETUSER takes after the name. */
export interface RedisUser {
  readonly name: string;
  readonly rules: readonly string[];
}

/** How one service logs in. */
export interface ServiceLogin {
  readonly DATABASE_URL: string;
  readonly REDIS_URL: string;
}

/** Draws the passwords of a run. */
export function drawPasswords(): ServicePasswords {
  const drawn = REDIS_SERVICES.map((service) => [service, randomBytes(24).toString('hex')]);
  return Object.fromEntries(drawn) as ServicePasswords; // one for every service of the list
}

/** The users of a Redis of our own. */
export function describeRedisUsers(passwords: ServicePasswords): readonly RedisUser[] {
  const prefix = inheritedEnvironment()['REDIS_PREFIX'] ?? '';
  return REDIS_SERVICES.map((name) => ({ name, rules: buildRedisUserRules(name, passwords[name], prefix) }));
}

/** The variables by which `migrate` gives the roles of the services their passwords. */
export function databasePasswords(passwords: ServicePasswords): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(passwords).map(([service, password]) => [`DATABASE_PASSWORD_${service.toUpperCase()}`, password]),
  );
}

/**
 * Gives each service a login of its own in a Postgres that `npm start` did not start: DATABASE_URL is for the migration alone. Throws a
 * SetupError when its login may not make others.
 */
export async function makeMemberLogins(
  databaseUrl: string,
  dataDir: string,
  passwords: ServicePasswords,
): Promise<void> {
  try {
    await setMemberLogins(databaseUrl, installationOf(dataDir), passwords);
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

/** A mark of a data folder: two of them on one Postgres do not take each other's passwords away. */
function installationOf(dataDir: string): string {
  return hashPath(dataDir).slice(0, 8);
}

/**
 * How each service logs in. It has a login of its own at every Postgres, and at the Redis that `npm start` starts; a Redis of the
 * operator's own forgets users when it restarts, so all services use REDIS_URL there.
 */
export function describeLogins(
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
          ? serviceRole(service)
          : memberLogin(service, installationOf(config.SIGNALBOX_DATA_DIR)),
      ),
      REDIS_URL: config.REDIS_URL ?? own(servers.redisUrl, service),
    };
  };
}
