import { randomBytes } from 'node:crypto';
import { redisUserRules, REDIS_SERVICES, type RedisService } from '@signalbox/platform/redis-users';
import { inheritedEnvironment, type LocalConfig } from '../config.ts';
import type { RedisUser } from '../redis/redis.ts';

/** Passwords of the services for one run: a new one for each at every start, kept in no file. */
export type ServicePasswords = Readonly<Record<RedisService, string>>;

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
  return REDIS_SERVICES.map((name) => ({ name, rules: redisUserRules(name, passwords[name], prefix) }));
}

/** The variables by which `migrate` gives the roles of the services their passwords. */
export function databasePasswords(passwords: ServicePasswords): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(passwords).map(([service, password]) => [`DATABASE_PASSWORD_${service.toUpperCase()}`, password]),
  );
}

/**
 * How each service logs in. `npm start` makes a login for each on the servers that it starts. On other servers the operator makes the
 * logins, and all services use DATABASE_URL and REDIS_URL.
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
      DATABASE_URL: config.DATABASE_URL ?? own(servers.databaseUrl, `signalbox_${service}`),
      REDIS_URL: config.REDIS_URL ?? own(servers.redisUrl, service),
    };
  };
}
