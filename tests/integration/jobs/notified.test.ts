import type { JobContext } from '@signalbox/jobs/runner/handlers';
import { createServerProbeStore } from '@signalbox/jobs/machine/server-probes';
import { runInLanguage } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { createServersWatchHandler } from '@signalbox/jobs/machine/servers-watch';
import { AppError } from '@signalbox/contracts/errors';
import { notifyPeople } from '@signalbox/jobs/health/notify';
import { createLog } from '@signalbox/platform/log';
import { closeIncident, openIncident, type IncidentReport } from '@signalbox/store/deploy/incidents';
import { sendPendingNotices } from '@signalbox/store/deploy/incident-news';
import { listIncidentStates } from '@signalbox/store/incidents/incident-states';
import { listIncidents } from '@signalbox/store/incidents/list-incidents';
import { endFault, listFaults, notifyAdmins, reportFault } from '@signalbox/store/faults';
import { findRecipients, listAdmins } from '@signalbox/store/people/recipients';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../support/until.ts';
import { openTerminal } from '../cli/terminal.ts';
import { openNoticeBench, type NoticeBench } from './notice-bench.ts';

// Each pool logs in as `npm start` has it: deploy sees no row of what people wrote, and has to tell them all the same.

let bench: NoticeBench;
beforeAll(async () => {
  bench = await openNoticeBench();
});
afterAll(() => bench.close());
beforeEach(() => bench.empty());

const DOWN = {
  subject: 'service:shop/staging',
  kind: 'down',
  detail: 'It answered nothing twice.',
  evidence: {},
  recipients: ['1002', '1001'],
  project: 'shop',
  say: '**shop** in staging is down.',
  buttons: [],
  mutedUntil: null,
} satisfies IncidentReport;
const END = { subject: DOWN.subject, kind: 'down', project: 'shop', say: '**shop** is well again.' };
const open = (over: Partial<IncidentReport> = {}) => openIncident(bench.deploy, { ...DOWN, ...over });

describe('the deployment pool, which may not read messages', () => {
  test('notifies the person responsible for a service of its incident in private', async () => {
    await bench.person('1002', 'developer', ['telegram:1002', 'telegram:-7']);
    expect((await bench.deploy.query('select 1 from inbox')).rowCount).toBe(0);
    expect(await open()).toMatchObject({ notified: { userKey: '1002' }, hasNoRecipient: false });
    await open();
    expect(await bench.news()).toEqual([{ who: '1002', chat: 'telegram:1002', say: DOWN.say }]);
    await closeIncident(bench.deploy, END);
    expect(await bench.news()).toHaveLength(2);
  });

  test('notifies the person who registered a server when it goes down', async () => {
    await bench.person('1002', 'developer', ['telegram:1002']);
    await bench.owner
      .query(`insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status, proposed_at)
      values ('act_vps', 't', 'thr', '1002', 'register_server', '{}', 1, 'done', now())`);
    await bench.owner
      .query(`insert into servers (name, host, environment, driver, action_id, measured_at, health, cpus, memory_mb, first_port, last_port)
      values ('vps-1', '192.0.2.1', 'staging', 'ssh', 'act_vps', now(), 'up', 1, 1024, 9000, 9099)`);
    const watch = createServersWatchHandler({
      pool: bench.deploy,
      probes: createServerProbeStore(bench.deploy),
      openDriver: () => Promise.reject(new AppError('TARGET_UNREACHABLE', { server: 'vps-1', detail: 'refused' })),
      publisher: { publish: async () => undefined },
    });
    const signal = AbortSignal.timeout(30_000);
    await watch.run({}, {
      signal,
      log: bench.log,
      openSecret: () => Promise.reject(new Error('none')),
    } as unknown as JobContext); // what it touches
    expect(await bench.news()).toEqual([
      { who: '1002', chat: 'telegram:1002', say: expect.stringContaining('**vps-1** is down') },
    ]);
  });
});

describe('an incident that waits until somebody can be reached', () => {
  const server = 'vps-1';
  const slow = {
    say: () => say('services.machineWell', { server, lasted: '1 h' }),
    detail: () => say('services.machineSlowDetail', { server, affected: 2, probed: 2, services: 'shop/staging' }),
    card: { environment: null },
  };

  test('is told in the language of whoever is told at last, from its start to its end', async () => {
    await open(slow);
    await closeIncident(bench.deploy, { ...END, say: () => say('services.machineWell', { server, lasted: '2 h' }) });
    await bench.person('1002', 'developer', ['telegram:1002'], { language: 'de' });
    await bench.age();
    await sendPendingNotices(bench.deploy, []);
    const [told, ...more] = await bench.news();
    expect(more).toEqual([]);
    expect(told?.say).toMatch(/vps-1 ist nach 1 h wieder[^]*vps-1 ist nach 2 h wieder/);
  });

  test('is listed to each reader in their language', async () => {
    await open(slow);
    const listed = (language: string): Promise<readonly string[]> =>
      runInLanguage(language, async () =>
        (await listIncidentStates(bench.pools.gateway, 5)).map(({ detail }) => detail),
      );
    expect(await listed('de')).toEqual([expect.stringContaining('ist langsam')]);
    expect(await listed('ru')).toEqual([expect.stringContaining('работает медленно')]);
    expect(await runInLanguage('zh', () => listIncidents(bench.pools.worker, {}, 5))).toMatchObject({
      incidents: [{ detail: expect.stringContaining('变慢') as string }],
    });
  });
});

describe('the recipients of an incident report', () => {
  const reaches = async (...people: string[]): Promise<readonly string[]> =>
    (await findRecipients(bench.deploy, people)).map(({ chatKey }) => chatKey);

  test('are tried in the given order, each person once', async () => {
    await bench.person('1001', 'admin', ['telegram:1001']);
    await bench.person('1002', 'developer', ['telegram:1002']);
    expect(await reaches('1002', '1001', '1002', '666')).toEqual(['telegram:1002', 'telegram:1001']);
  });

  test.each<readonly [string, () => Promise<unknown>, readonly string[]]>([
    ['has a role and never wrote is not reached', () => bench.person('1002', 'viewer', []), []],
    ['wrote in a group alone is reached there', () => bench.person('1002', 'viewer', ['telegram:-7']), ['telegram:-7']],
    [
      'wrote in a group last is reached in private',
      () => bench.person('1002', 'viewer', ['telegram:1002', 'telegram:-7']),
      ['telegram:1002'],
    ],
    [
      'blocked us is reached in a group',
      async () => {
        await bench.person('1002', 'viewer', ['telegram:1002', 'telegram:-7']);
        await bench.park('telegram:1002');
      },
      ['telegram:-7'],
    ],
    [
      'wrote in a topic of a group that threw us out is not reached',
      async () => {
        await bench.person('1002', 'viewer', ['telegram:-7/3']);
        await bench.park('telegram:-7');
      },
      [],
    ],
    [
      'only sent the code of an invitation is reached',
      () => bench.person('1002', 'admin', ['telegram:1002'], { kind: 'code' }),
      ['telegram:1002'],
    ],
    [
      'has no role any more is not reached',
      async () => {
        await bench.person('1002', 'viewer', ['telegram:1002']);
        await bench.owner.query(`delete from users where user_key = '1002'`);
      },
      [],
    ],
    [
      'blocked us is reached on their other account',
      async () => {
        await bench.person('1002', 'viewer', ['telegram:1002']);
        await bench.park('telegram:1002');
        await bench.person('web-b', 'viewer', ['web:b'], { person: '1002' });
      },
      ['web:b'],
    ],
    [
      'is a program is not reached, and whose it is is',
      async () => {
        await bench.person('1001', 'developer', ['telegram:1001']);
        await bench.person('1002', 'developer', ['ingress:1002'], { person: '1001', isProgram: true });
      },
      ['telegram:1001'],
    ],
  ])('a person who %s', async (_, given, chats) => {
    await given();
    expect(await reaches('1002')).toEqual(chats);
  });

  test('cannot be read by the pool that runs commands of agents', async () => {
    await expect(bench.agents.query(`select find_recipients('{1001}')`)).rejects.toMatchObject({ code: '42501' });
  });
});

describe('an incident report without a reachable recipient', () => {
  const waiting = async (): Promise<void> =>
    void (await sendPendingNotices(bench.deploy, await listAdmins(bench.deploy)));

  test('is recorded as a fault once, and is sent as soon as a recipient can be reached', async () => {
    await bench.person('1001', 'admin', []);
    expect((await open()).hasNoRecipient).toBe(true);
    expect((await open()).hasNoRecipient).toBe(false);
    await bench.age();
    expect(await listFaults(bench.deploy)).toEqual([
      { hasNoRecipient: true, say: expect.stringContaining('nobody could be told of service:shop/staging (down)') },
    ]);
    expect(await notifyAdmins(bench.maintenance)).toEqual({ chats: [], waiting: 1 });
    await bench.person('1001', 'admin', ['telegram:1001']);
    await Promise.all([notifyAdmins(bench.maintenance), waiting(), waiting(), notifyAdmins(bench.maintenance)]);
    expect([...(await bench.news()), ...(await bench.said())]).toHaveLength(1);
    expect(await listFaults(bench.deploy)).toEqual([]);
  });

  test('is sent to the admins by another pool when its own pool may not read the recipients', async () => {
    await bench.person('1001', 'admin', ['telegram:1001'], { language: 'de' });
    await bench.person('1003', 'admin', ['telegram:1003', 'telegram:-7']);
    await bench.person('1004', 'admin', ['telegram:-7']);
    await bench.person('1002', 'developer', []);
    await bench.owner.query('revoke execute on function find_recipients(text[]) from signalbox_deploy');
    await expect(open({ recipients: ['1002'] })).rejects.toMatchObject({ code: '42501' });
    await notifyAdmins(bench.maintenance);
    expect(await bench.said()).toEqual([]); // it has had no time yet to tell it itself
    await bench.age();
    for (let n = 0; n < 3; n++) await notifyAdmins(bench.maintenance);
    await bench.owner.query('grant execute on function find_recipients(text[]) to signalbox_deploy');
    await open({ recipients: ['1002'] });
    expect(await bench.said()).toEqual([
      [
        'telegram:1001',
        `⚠️ Niemand, den das betrifft, war zu erreichen, deshalb sage ich es den Admins:\n\n${DOWN.say}`,
      ],
      ['telegram:1003', `⚠️ Nobody responsible for this could be reached, so I am telling the admins:\n\n${DOWN.say}`],
    ]);
    expect(await bench.news()).toEqual([]);
    await closeIncident(bench.deploy, END);
    expect(await bench.news()).toEqual([{ who: '1001', chat: 'telegram:1001', say: END.say }]);
  });

  test('that was meant for an admin is sent to all admins without a preface', async () => {
    await bench.person('1001', 'admin', ['telegram:1001']);
    await bench.person('1003', 'admin', ['telegram:1003']);
    await bench.owner.query('revoke execute on function find_recipients(text[]) from signalbox_deploy');
    await expect(open()).rejects.toMatchObject({ code: '42501' });
    await bench.owner.query('grant execute on function find_recipients(text[]) to signalbox_deploy');
    await bench.age();
    await notifyAdmins(bench.maintenance);
    expect(await bench.said()).toEqual([
      ['telegram:1001', DOWN.say],
      ['telegram:1003', DOWN.say],
    ]);
  });

  test('that is sent only after the incident ended includes the end', async () => {
    await open();
    await closeIncident(bench.deploy, END);
    await bench.age();
    await bench.person('1002', 'developer', ['telegram:1002']);
    await waiting();
    await waiting();
    expect((await bench.news()).map(({ say }) => say)).toEqual([`${DOWN.say}\n\n${END.say}`]);
  });

  test('goes to the next person when the first has blocked the bot', async () => {
    await bench.person('1001', 'admin', ['telegram:1001']);
    await bench.person('1002', 'developer', ['telegram:1002']);
    await open();
    await bench.park('telegram:1002');
    for (let n = 0; n < 2; n++) await open();
    await bench.unpark('telegram:1002');
    await open();
    expect((await bench.news()).map(({ who }) => who)).toEqual(['1002', '1001']);
    await closeIncident(bench.deploy, END);
    expect((await bench.news()).map(({ who }) => who)).toEqual(['1002', '1001', '1001']);
  });

  test('about a muted service is not kept for later', async () => {
    await open();
    await open({ mutedUntil: new Date(Date.now() + 60_000) });
    await bench.age();
    await bench.person('1002', 'developer', ['telegram:1002']);
    await waiting();
    expect(await bench.news()).toEqual([]);
    await open();
    expect(await bench.news()).toHaveLength(1);
  });
});

describe('a pool that can notify nobody', () => {
  const doctor = async (): Promise<string> => {
    const terminal = openTerminal({ DATABASE_URL: bench.databaseUrl, MODEL: 'offline', SIGNALBOX_RUN_FILE: '/none' });
    const { out } = await terminal('doctor');
    const line = out.split('\n').findIndex((one) => /^\S \S+ +news /.test(one));
    return out
      .split('\n')
      .slice(line, line + 2)
      .join('\n');
  };

  test('logs a warning, warns on /readyz and in doctor, and stays ready', async () => {
    const lines: string[] = [];
    const log = createLog('test', 'info', { write: (line) => void lines.push(line) });
    const opened = await open();
    await notifyPeople({ log, publisher: { publish: async () => undefined } }, [opened, await open()]);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        level: 'error',
        message: expect.stringContaining('nobody can be notified of an incident'),
      }),
    ]);
    expect(await doctor()).toContain('all of it was told'); // it may just be on its way
    await bench.age();
    const service = await bench.startPool('deploy');
    const readyz = async (): Promise<string> => {
      const response = await fetch(`http://127.0.0.1:${service.probePort}/readyz`);
      return `${response.status} ${await response.text()}`;
    };
    const unheard = 'nobody could be told of service:shop/staging (down) since';
    expect(await readyz()).toMatch(new RegExp(`^200 ready\n${unheard.replace(/[()]/g, '\\$&')}`));
    expect(await doctor()).toMatch(
      /✗ fail.*nobody could be told of service:shop\/staging[^]*write to the bot in private/,
    );
    await bench.person('1002', 'developer', ['telegram:1002']);
    // Its own watcher tells it: nothing else was asked to.
    await eventually(
      () => bench.news(),
      (news) => news.length === 1,
      40_000,
    );
    expect(await readyz()).toBe('200 ready\n');
    expect(await doctor()).toContain('all of it was told');
    await service.close();
  });
});

describe('a fault of Signalbox', () => {
  test.each([
    [
      'gateway',
      'channel-refused:web',
      ['Один канал сообщений отклоняет', 'A messaging channel refuses'],
      ['Канал web снова', 'The channel web accepts'],
    ],
    [
      'maintenance',
      'redis-full',
      ['Redis больше не принимает записи: ', 'Redis accepts no more'],
      ['Redis снова', 'Redis accepts writes'],
    ],
  ] as const)(
    'that %s detects is reported once to every admin in private, even when it flaps, and so is its end',
    async (service, kind, opens, ends) => {
      const pool = bench.pools[service];
      await bench.person('1001', 'admin', ['telegram:1001'], { language: 'ru' });
      await bench.person('1003', 'admin', ['telegram:1003']);
      await bench.person('1002', 'operator', ['telegram:1002']);
      for (let n = 0; n < 3; n++) {
        await Promise.all([reportFault(pool, kind, '8 MB of 8 MB'), reportFault(pool, kind, 'again')]);
        await Promise.all([notifyAdmins(bench.maintenance), notifyAdmins(bench.maintenance)]);
        expect(await listFaults(bench.maintenance)).toHaveLength(1);
        await endFault(pool, kind);
        await notifyAdmins(bench.maintenance);
      }
      expect(await bench.said()).toEqual([
        ['telegram:1001', expect.stringContaining(opens[0])],
        ['telegram:1003', expect.stringContaining(opens[1])],
      ]);
      await bench.age();
      for (let n = 0; n < 2; n++) await notifyAdmins(bench.maintenance);
      expect((await bench.said()).slice(2)).toEqual([
        ['telegram:1001', expect.stringContaining(`✅ ${ends[0]}`)],
        ['telegram:1003', expect.stringContaining(`✅ ${ends[1]}`)],
      ]);
      expect(await listFaults(bench.maintenance)).toEqual([]);
    },
  );
});
