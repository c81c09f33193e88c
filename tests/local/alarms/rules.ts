import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { parse } from 'yaml';
import { z } from 'zod';

export const OBSERVABILITY = join(getCheckoutPath(), 'infra/observability');

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          for: z.string(),
          labels: z.object({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.object({ summary: z.string(), remedy: z.string() }),
        }),
      ),
    }),
  ),
});

const RuleTests = z.object({
  tests: z.array(
    z.object({ alert_rule_test: z.array(z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) })) }),
  ),
});

/** What Grafana needs to show a dashboard: a panel with a type, a place, and queries of a data source. */
const Dashboard = z.object({
  uid: z.string(),
  title: z.string(),
  schemaVersion: z.int().min(36),
  time: z.object({ from: z.string(), to: z.string() }),
  templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.literal('datasource') })) }),
  panels: z.array(
    z.object({
      id: z.int(),
      type: z.enum(['row', 'stat', 'timeseries']),
      title: z.string().min(1),
      gridPos: z.object({ h: z.int().min(1), w: z.int().min(1).max(24), x: z.int().min(0), y: z.int().min(0) }),
      targets: z
        .array(
          z.object({ refId: z.string(), expr: z.string(), datasource: z.object({ type: z.literal('prometheus') }) }),
        )
        .default([]),
    }),
  ),
});

const Scrapes = z.object({
  scrape_configs: z.array(z.object({ static_configs: z.array(z.object({ targets: z.array(z.string()) })) })),
});

const ComposeFile = z.object({
  services: z.record(
    z.string(),
    z.object({
      network_mode: z.string().optional(),
      environment: z.object({ PROBE_HOST: z.string().optional(), PROBE_PORT: z.string().optional() }).default({}),
    }),
  ),
});

const read = (name: string): string => readFileSync(join(OBSERVABILITY, name), 'utf8');

export const readRules = () => Rules.parse(parse(read('alarms.yml'))).groups.flatMap(({ rules }) => rules);
export const readRuleTests = () =>
  RuleTests.parse(parse(read('alarms.test.yml'))).tests.flatMap((one) => one.alert_rule_test);
export const readScrapeTargets = () =>
  Scrapes.parse(parse(read('prometheus.yml'))).scrape_configs.flatMap(({ static_configs: all }) =>
    all.flatMap(({ targets }) => targets),
  );
/** Where the services of docker compose answer probes. `migrate` ends before anybody could ask it. */
export const readComposeProbes = () =>
  Object.entries(ComposeFile.parse(parse(read('../../docker-compose.yml'), { merge: true })).services).flatMap(
    ([
      name,
      {
        network_mode: shared,
        environment: { PROBE_HOST: listensOn, PROBE_PORT: port },
      },
    ]) =>
      port === undefined || name === 'migrate'
        ? []
        : [{ host: shared?.replace('service:', '') ?? name, port, listensOn }],
  );
export const readDashboard = () => Dashboard.parse(JSON.parse(read('dashboard.json')));

/** The rules as they are, except that none waits: a test cannot wait for minutes. */
export const readImpatientRules = (): string => read('alarms.yml').replaceAll(/^( +for:) \w+$/gm, '$1 0s');

/** Names of the metrics that an expression reads, without the endings of a histogram's parts. */
export function listReadMetrics(expression: string): readonly string[] {
  const names = expression.match(/\b(?:signalbox|process|nodejs)_\w+/g) ?? [];
  return names.map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));
}
