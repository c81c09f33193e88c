import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { endWithParent } from '@signalbox/local/parent-death';
import { fetchProgram } from '@signalbox/local/setup/debian-packages';
import { loadTestConfig } from './config.ts';
import { freePort } from './free-port.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

/** The two programs of Debian's package `prometheus`. */
export interface PrometheusPrograms {
  readonly server: string;
  readonly promtool: string;
}

export interface FiringAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: string;
}

/** Finds or fetches Prometheus, as Redis is fetched. Throws with the reason when neither works: alarms must never go untested. */
export async function fetchPrometheus(): Promise<PrometheusPrograms> {
  const binDir = join(loadTestConfig().dataDir, 'prometheus-bin');
  const spec = { title: 'Prometheus', packages: ['prometheus'], file: 'usr/bin/prometheus' };
  const fetched = await fetchProgram(spec, binDir, console.log);
  if (!('program' in fetched)) throw new Error(`alarms cannot be tested without Prometheus: ${fetched.problem}`);
  const server = fetched.program.file;
  return { server, promtool: join(dirname(server), 'promtool') };
}

/** Starts a server that scrapes these ports and evaluates these rules each second. */
export async function startPrometheus(
  { server }: PrometheusPrograms,
  options: { readonly ports: () => readonly number[]; readonly rules: string },
) {
  const folder = makeTemporaryFolder('prometheus');
  const port = await freePort();
  const targets = join(folder, 'targets.json');
  const aim = (): void =>
    writeFileSync(targets, JSON.stringify([{ targets: options.ports().map((one) => `127.0.0.1:${one}`) }]));
  aim();
  writeFileSync(join(folder, 'alarms.yml'), options.rules);
  writeFileSync(
    join(folder, 'prometheus.yml'),
    `global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [alarms.yml]
scrape_configs:
  - job_name: signalbox
    scrape_timeout: 1s
    file_sd_configs: [{ files: [targets.json], refresh_interval: 1s }]
`,
  );
  const { file, args } = endWithParent('TERM', {
    file: server,
    args: [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
  });
  const child = spawn(file, [...args], { stdio: 'ignore', cwd: folder });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ask = async <T>(path: string): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(5_000) });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return ((await response.json()) as { readonly data: T }).data;
  };
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`prometheus ended with ${child.exitCode}`);
    return fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return {
    /** Reads the ports anew. */
    aim,
    alerts: async () => (await ask<{ readonly alerts: readonly FiringAlert[] }>('/api/v1/alerts')).alerts,
    /** How many results an expression has at present. */
    count: async (expression: string) =>
      (await ask<{ readonly result: readonly unknown[] }>(`/api/v1/query?query=${encodeURIComponent(expression)}`))
        .result.length,
    close: async () => {
      child.kill('SIGTERM');
      await gone;
    },
  };
}
