import { grantUserRole, removeUser } from '@signalbox/store/people/users';
import { withTransaction } from '@signalbox/store/pool';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PEOPLE } from '../integration/gateway/harness.ts';
import { until } from '../support/until.ts';
import { openIngress, type IngressGateway } from './ingress-gateway.ts';
import { get, OTHER_SECRET, post, SECRET, tell, type Program } from './program.ts';
import { writeSources } from './sources-file.ts';

// `ci` is a service account, and `alerts` acts for Ben, the developer.
const CI = { name: 'ci', secret: SECRET, serviceAccount: { name: 'CI', role: 'developer' } };
const ALERTS = { name: 'alerts', secret: OTHER_SECRET, actsFor: PEOPLE.developer };

let ingress: IngressGateway;
beforeEach(async () => {
  const settings = { GATEWAY_CHANNELS: 'telegram,ingress' };
  ingress = await openIngress({ alerts: { actsFor: PEOPLE.developer }, settings });
});
afterEach(() => ingress.close());

const statusOf = async (program: Program): Promise<number> => (await post(program, { text: '/whoami' })).status;
const rolesOf = async (userKey: string): Promise<readonly string[]> =>
  (
    await ingress.harness.rows<{ row: string }>(
      `select concat_ws(' ', role, person, case when is_program then 'program' end) as row from users where user_key = $1`,
      [userKey],
    )
  ).map(({ row }) => row);
/** Gateways that start with this file. */
const startWith = async (...sources: readonly object[]) =>
  ingress.startAnother({ INGRESS_SOURCES_FILE: writeSources(sources) });
/** A person types a command, which has been carried out once this is false. */
const command = async (person: string, text: string, isStill: () => Promise<boolean>): Promise<void> => {
  await ingress.harness.people.say(Number(person), text);
  await until(async () => !(await isStill()));
};
const isThere = (userKey: string) => async (): Promise<boolean> => (await rolesOf(userKey)).length > 0;

test('a source works again as soon as its person has their role back, and the return is audited', async () => {
  const { pool } = ingress.harness;
  const id = await tell(ingress.alerts, { text: '/whoami' });
  await withTransaction(pool, (db) => removeUser(db, PEOPLE.developer));
  expect([await statusOf(ingress.alerts), (await get(ingress.alerts, id)).status]).toEqual([403, 403]);
  await grantUserRole(pool, { userKey: PEOPLE.developer, channel: 'telegram', name: 'Ben', role: 'viewer' });
  expect([(await get(ingress.alerts, id)).status, await statusOf(ingress.alerts)]).toEqual([200, 200]);
  expect(await rolesOf('ingress-alerts')).toEqual([`viewer ${PEOPLE.developer} program`]);
  expect(
    await ingress.harness.rows(
      `select data ->> 'to' as role from audit_events where kind = 'role.changed' and data ->> 'person' = 'ingress-alerts' order by event_id`,
    ),
  ).toEqual([{ role: 'developer' }, { role: 'viewer' }]);
});

test('many requests after a role was given back create one account', async () => {
  const { pool } = ingress.harness;
  await withTransaction(pool, (db) => removeUser(db, PEOPLE.developer));
  await grantUserRole(pool, { userKey: PEOPLE.developer, channel: 'telegram', name: 'Ben', role: 'viewer' });
  const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(ingress.alerts)));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(
    await ingress.harness.rows(
      `select 1 from audit_events where kind = 'role.changed' and data ->> 'person' = 'ingress-alerts'`,
    ),
  ).toHaveLength(2);
});

test('an account that its person unlinked stays unlinked until the sources file names another person', async () => {
  const { pool } = ingress.harness;
  await command(PEOPLE.developer, '/link remove ingress-alerts', isThere('ingress-alerts'));
  expect(await statusOf(ingress.alerts)).toBe(403);
  const again = await startWith(CI, ALERTS);
  expect([await statusOf(again.alerts), await statusOf(again.ci)]).toEqual([403, 200]);
  await withTransaction(pool, (db) => removeUser(db, PEOPLE.developer));
  await grantUserRole(pool, { userKey: PEOPLE.developer, channel: 'telegram', name: 'Ben', role: 'developer' });
  expect(await statusOf(again.alerts)).toBe(403);
  const other = await startWith(CI, { ...ALERTS, actsFor: PEOPLE.viewer });
  expect(await statusOf(other.alerts)).toBe(200);
  expect(await rolesOf('ingress-alerts')).toEqual([`viewer ${PEOPLE.viewer} program`]);
});

test('a removed account is created again after the sources file left it out for one start', async () => {
  await command(PEOPLE.developer, '/link remove ingress-alerts', isThere('ingress-alerts'));
  await startWith(CI);
  const again = await startWith(CI, ALERTS);
  expect(await statusOf(again.alerts)).toBe(200);
});

test('an account that was removed by the sources file comes back with the file', async () => {
  await startWith(CI);
  expect(await statusOf(ingress.alerts)).toBe(200); // this gateway still has the file in which it stands
  await startWith({ ...ALERTS, actsFor: PEOPLE.viewer });
  const again = await startWith(CI, ALERTS);
  expect([await statusOf(again.alerts), await statusOf(again.ci)]).toEqual([200, 200]);
});

test('a service account that an admin removed stays removed until an admin lets the account in', async () => {
  await command(PEOPLE.admin, '/deny ingress-ci', isThere('ingress-ci'));
  const again = await startWith(CI, ALERTS);
  expect([await statusOf(ingress.ci), await statusOf(again.ci), await statusOf(again.alerts)]).toEqual([403, 403, 200]);
  await command(PEOPLE.admin, '/allow ingress-ci viewer', async () => !(await isThere('ingress-ci')()));
  expect(await statusOf(again.ci)).toBe(200);
  expect(await rolesOf('ingress-ci')).toEqual(['viewer ingress-ci program']);
  const last = await startWith(CI, ALERTS);
  expect(await statusOf(last.ci)).toBe(200);
  expect(await rolesOf('ingress-ci')).toEqual(['developer ingress-ci program']);
});
