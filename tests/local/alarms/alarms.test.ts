import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { INBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { createLog } from '@signalbox/platform/log';
import { closeRedis, openRedis } from '@signalbox/platform/redis';
import { getStreamKey } from '@signalbox/platform/streams/keys';
import { createJobService } from '@signalbox/jobs/job-service';
import { loadConfig } from '@signalbox/jobs/config';
import { closeAll, type Closable } from '@signalbox/platform/lifecycle';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchPrometheus, startPrometheus, type PrometheusPrograms } from '../../support/prometheus.ts';
import { listMetricNames, scrape } from '../../support/scrape.ts';
import { openStack, type Stack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import {
  listReadMetrics,
  OBSERVABILITY,
  readComposeProbes,
  readDashboard,
  readImpatientRules,
  readRules,
  readRuleTests,
  readScrapeTargets,
} from './rules.ts';

let programs: PrometheusPrograms;
beforeAll(async () => {
  programs = await fetchPrometheus();
}, 240_000);

describe('the rule file', () => {
  it('is one that Prometheus takes, and each alarm fires in its unit test', () => {
    const promtool = (...args: readonly string[]): string =>
      execFileSync(programs.promtool, [...args], { cwd: OBSERVABILITY, encoding: 'utf8', stdio: 'pipe' });
    expect(promtool('check', 'rules', 'alarms.yml')).toContain(`${readRules().length} rules found`);
    expect(promtool('check', 'config', 'prometheus.yml')).toContain('is valid');
    expect(promtool('test', 'rules', 'alarms.test.yml')).toContain('SUCCESS');
  });

  it('scrapes every service of docker compose, also the proxy, which shares an address', () => {
    const probes = readComposeProbes();
    expect(probes.map(({ host, port }) => `${host}:${port}`).sort()).toEqual([...readScrapeTargets()].sort());
    expect(probes.filter(({ listensOn }) => listensOn !== '0.0.0.0')).toEqual([]);
  });

  it('has for each alarm a case in which it fires and a case in which it stays silent', () => {
    const cases = readRuleTests();
    const names = readRules().map(({ alert }) => alert);
    const fired = cases.filter((one) => one.exp_alerts.length > 0).map(({ alertname }) => alertname);
    const silent = cases.filter((one) => one.exp_alerts.length === 0).map(({ alertname }) => alertname);
    expect([...new Set(fired)].sort()).toEqual([...names].sort());
    expect([...new Set(silent)].sort()).toEqual([...names].sort());
  });

  it('holds exactly the alarms of the table in operations.md', () => {
    const page = readFileSync(join(getCheckoutPath(), 'docs/operations.md'), 'utf8');
    const table = page.slice(page.indexOf('## Alarms'), page.indexOf('## Logs'));
    const plain = (cell: string): string => cell.trim().replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
    const documented = [...table.matchAll(/^\| `(\w+)` +\| (\w+) +\|(.*)\|(.*)\|$/gm)].map((row) => ({
      alert: row[1],
      severity: row[2],
      summary: plain(row[3] ?? ''),
      remedy: plain(row[4] ?? ''),
    }));
    expect(documented).toEqual(
      readRules().map(({ alert, labels, annotations }) => ({ alert, severity: labels.severity, ...annotations })),
    );
  });
});

describe('with the whole product', () => {
  let stack: Stack;
  let prometheus: Awaited<ReturnType<typeof startPrometheus>>;
  const maintenance: Closable[] = [];
  const log = createLog('test', 'silent');

  const startMaintenance = async (): Promise<void> => {
    const own = <T extends Closable>(part: T): T => {
      maintenance.push(part);
      return part;
    };
    const { probePort } = await createJobService(own, loadConfig(stack.wiring.env('maintenance')), log);
    ports.set('maintenance', probePort);
  };
  const ports = new Map<string, number>();
  const listPorts = (): readonly number[] => [...stack.probePorts.values(), ...ports.values()];

  beforeAll(async () => {
    stack = await openStack({
      jobs: true,
      proxy: true,
      pools: ['agents', 'deploy', 'analysis'],
      workers: 0,
      unequal: 'the history is cut',
      notReplayed: 'the history is cut',
    });
    await startMaintenance();
    prometheus = await startPrometheus(programs, { ports: listPorts, rules: readImpatientRules() });
  });
  afterAll(async () => {
    await prometheus.close();
    await closeAll(maintenance.splice(0), log);
    await stack.close();
  });

  const isFiring = async (name: string): Promise<boolean> =>
    (await prometheus.alerts()).some(({ labels, state }) => labels['alertname'] === name && state === 'firing');
  const untilFiring = (name: string) => until(() => isFiring(name), 40_000);

  it('every metric of the rules and of the dashboard is one that a service exports', async () => {
    const worker = await stack.startWorker('worker-1');
    const texts = await Promise.all(listPorts().map(scrape));
    const exported = new Set(texts.flatMap((text) => [...listMetricNames(text)]));
    const rules = readRules().map(({ expr }) => expr);
    const panels = readDashboard().panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const read = new Set([...rules, ...panels].flatMap(listReadMetrics));
    expect(read.size).toBeGreaterThan(25);
    expect([...read].filter((name) => !exported.has(name))).toEqual([]);
    expect(panels.length).toBeGreaterThan(20);
    for (const expression of panels) expect(await prometheus.count(expression)).toBeGreaterThanOrEqual(0);
    await worker.close();
  });

  it('the panels of the dashboard have ids of their own and do not overlap', () => {
    const { panels } = readDashboard();
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)}:${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });

  it('a message that no worker takes, an unreadable wake-up and a cut audit history fire their alarms', async () => {
    await until(async () => (await prometheus.count('signalbox_inbox_oldest_seconds')) === 1);
    await until(async () => (await prometheus.count('signalbox_audit_problems_total')) === 1);
    for (const quiet of [
      'SignalboxMessagesWait',
      'SignalboxDeadLetters',
      'SignalboxAuditDiffers',
      'SignalboxServiceDown',
    ])
      expect(await isFiring(quiet)).toBe(false);

    // No worker runs, and the message is as old as the alarm wants.
    const mara = await stack.person(1002, 'operator');
    await mara.send('hello');
    await until(async () => {
      const { rowCount } = await stack.pool.query(
        `update inbox set received_at = now() - interval '11 minutes' where outcome is null`,
      );
      return rowCount === 1;
    });
    await untilFiring('SignalboxMessagesWait');

    // A worker that starts answers it, and puts an unreadable entry into the dead letters.
    const redis = openRedis(stack.redisUrl, log);
    await redis.xadd(getStreamKey(stack.prefix, INBOUND_TOPIC, 0), '*', 'body', '{not json');
    await closeRedis(redis);
    await stack.startWorker('worker-1');
    await untilFiring('SignalboxDeadLetters');
    await until(async () => !(await isFiring('SignalboxMessagesWait')), 40_000);

    // The history is cut behind what was signed.
    await until(async () => ((await stack.pool.query('select from audit_checkpoints')).rowCount ?? 0) > 0, 30_000);
    await stack.pool.query(
      `set session_replication_role = 'replica';
       delete from audit_checkpoints; delete from audit_chain; delete from audit_events;
       reset session_replication_role`,
    );
    await closeAll(maintenance.splice(0), log);
    prometheus.aim();
    await untilFiring('SignalboxServiceDown');
    await startMaintenance();
    prometheus.aim();
    await untilFiring('SignalboxAuditDiffers');
  }, 170_000);
});
