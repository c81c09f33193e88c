import { randomBytes } from 'node:crypto';
import { buildRedisUserRules, REDIS_SERVICES, type RedisService } from '@signalbox/platform/redis-users';
import { createMemberLogin, setMemberLogins } from '@signalbox/store/migrations/service-logins';
import { getServiceRole } from '@signalbox/store/migrations/service-rights';
import { getInheritedEnvironment, type LocalConfig } from '../config.ts';
import { describeError } from '../describe-error.ts';
import { SetupError } from '../setup-error.ts';
import { hashPath } from '../checkout.ts';

/** Passwords of the services, drawn at each start and stored nowhere. */
export type ServicePasswords = Readonly<Record<RedisService, string>>;

/** A Redis user and its ACL SETUSER arguments. */
export interface RedisUser {
  readonly name: string;
  readonly rules: readonly string[];
}

/** The login URLs of one service. */
export interface ServiceLogin {
  readonly DATABASE_URL: string;
  readonly REDIS_URL: string;
}

/** Draws random passwords for a run. */
export function drawPasswords(): ServicePasswords {
  const drawn = REDIS_SERVICES.map((service) => [service, randomBytes(24).toString('hex')]);
  return Object.fromEntries(drawn) as ServicePasswords; // one per service
}

/** The users of a Redis that `npm start` starts. */
export function describeRedisUsers(passwords: ServicePasswords): readonly RedisUser[] {
  const prefix = getInheritedEnvironment()['REDIS_PREFIX'] ?? '';
  return REDIS_SERVICES.map((name) => ({ name, rules: buildRedisUserRules(name, passwords[name], prefix) }));
}

/** Variables with which `migrate` sets the services' Postgres passwords. */
export function listDatabasePasswords(passwords: ServicePasswords): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(passwords).map(([service, password]) => [`DATABASE_PASSWORD_${service.toUpperCase()}`, password]),
  );
}

/**
 * Creates a login per service in an external Postgres, whose DATABASE_URL is for migration only. Throws SetupError when its login may not
 * create others.
 */
export async function makeMemberLogins(
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

/** A short id of the data folder, so that two of them on one Postgres have separate logins. */
function toInstallationId(dataDir: string): string {
  return hashPath(dataDir).slice(0, 8);
}

/**
 * Creates a function that returns the login of a service. Each has its own in every Postgres, and in the Redis that `npm start` starts;
 * an external Redis forgets users on restart, so all services use REDIS_URL there.
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
          ? getServiceRole(service)
          : createMemberLogin(service, toInstallationId(config.SIGNALBOX_DATA_DIR)),
      ),
      REDIS_URL: config.REDIS_URL ?? own(servers.redisUrl, service),
    };
  };
}
