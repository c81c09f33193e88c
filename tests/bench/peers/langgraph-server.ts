import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOG_URL } from '@signalbox/messages/language';
import esbuild from 'esbuild';
import { z } from 'zod';
import type { Sample } from './figures.ts';
import { ANSWER_MARK } from './model-script.ts';
import { freePort, spawnProgram } from './processes.ts';

/** LangGraph's development server is no dependency of the product: the bench installs it, once, to a folder of its own. */
const FOLDER = '.signalbox/bench/langgraph-server';
const CLI = 'node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs';
const CLI_VERSION = '2.0.0';
const READY_MS = 90_000;
const ANSWER_MS = 60_000;

const Thread = z.object({ thread_id: z.string() });
const Packages = z.object({ packages: z.record(z.string(), z.object({ version: z.string().optional() })) });

/** Starts the server with a run at once for each of so many people; its default of ten would be the limit that is measured. */
export async function openLangGraphServer(people: number) {
  await install();
  const port = await freePort();
  const words = [CLI, 'dev', '--host', '127.0.0.1', '--port', String(port), '--no-browser', '-n', String(people)];
  const env = { LANGGRAPH_CLI_NO_ANALYTICS: '1', LANGSMITH_TRACING: 'false', NODE_ENV: 'production', NO_COLOR: '1' };
  const server = spawnProgram("LangGraph's server", words, env, FOLDER);
  const url = `http://127.0.0.1:${port}`;
  await server.until(() => isUp(`${url}/ok`), READY_MS);
  return {
    /** A conversation for each person, and turns that read. */
    async run(count: number, turnsEach: number, text: (n: number) => string): Promise<Sample> {
      const latencies: number[] = [];
      let said = 0;
      const threads = await Promise.all(Array.from({ length: count }, () => post(`${url}/threads`, {})));
      const startedAt = performance.now();
      await Promise.all(
        threads.map(async (thread) => {
          const { thread_id: id } = Thread.parse(JSON.parse(thread));
          for (let n = 0; n < turnsEach; n++) {
            const at = performance.now();
            const input = { messages: [{ role: 'user', content: text(++said) }] };
            const state = await post(`${url}/threads/${id}/runs/wait`, { assistant_id: 'agent', input });
            if (!state.includes(ANSWER_MARK))
              throw new Error(`LangGraph's server gave no answer: ${state.slice(0, 500)}`);
            latencies.push(performance.now() - at);
          }
        }),
      );
      const seconds = (performance.now() - startedAt) / 1_000;
      return { latencies, turnsPerSecond: latencies.length / seconds, cpuPerTurn: Number.NaN };
    },
    close: server.stop,
  };
}

async function install(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const { packages } = Packages.parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));
  const versionOf = (name: string): string => packages[`node_modules/${name}`]?.version ?? 'latest';
  const dependencies = {
    '@langchain/langgraph-cli': CLI_VERSION,
    ...Object.fromEntries(
      ['@langchain/core', '@langchain/langgraph', 'typescript', 'zod'].map((name) => [name, versionOf(name)]),
    ),
  };
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies });
  const file = join(FOLDER, 'package.json');
  const isInstalled = existsSync(join(FOLDER, CLI)) && readFileSync(file, 'utf8') === manifest;
  if (!isInstalled) {
    process.stderr.write(`installing LangGraph's development server, once\n`);
    writeFileSync(file, manifest);
    const words = ['install', '--no-audit', '--no-fund', '--loglevel=error'];
    const { status } = spawnSync('npm', words, { cwd: FOLDER, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) throw new Error("LangGraph's development server cannot be installed.");
  }
  writeFileSync(
    join(FOLDER, 'langgraph.json'),
    JSON.stringify({ node_version: '20', graphs: { agent: './agent.mjs:graph' } }),
  );
  await esbuild.build({
    entryPoints: ['tests/bench/peers/langgraph-graph.ts'],
    outfile: join(FOLDER, 'agent.mjs'),
    bundle: true,
    conditions: ['source'],
    external: ['@langchain/*', 'zod', 'pg'],
    platform: 'node',
    format: 'esm',
  });
  cpSync(CATALOG_URL, join(FOLDER, 'languages'), { recursive: true }); // the bundle reads its sentences from beside itself
}

async function isUp(url: string): Promise<boolean> {
  const answer = await fetch(url).catch(() => null);
  return answer?.ok ?? false;
}

async function post(url: string, body: object): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text.slice(0, 500)}`);
  return text;
}
