import { createHash } from 'node:crypto';
import { getServiceRole, type ServiceWithLogin } from '@signalbox/store/migrations/service-rights';

/** How a service logs in to a database of the tests. The roles are those of the whole server, so their passwords are made of its address. */
export function serviceUrl(ownerUrl: string, service: ServiceWithLogin): string {
  return Object.assign(new URL(ownerUrl), {
    username: getServiceRole(service),
    password: servicePassword(ownerUrl, service),
  }).href;
}

/** The password of a service's role on a server of the tests, whichever database it is. */
export function servicePassword(ownerUrl: string, service: string): string {
  const { password, port } = new URL(ownerUrl);
  return createHash('sha256').update(`${password}:${port}:${service}`).digest('hex').slice(0, 24);
}
