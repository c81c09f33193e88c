import { z } from 'zod';
import { abortAfter } from '@signalbox/contracts/time';
import { readConfig } from '@signalbox/platform/config';
import { addToEnvironment } from '../config.ts';

/** A local model server at its default address. */
export interface ModelServer {
  readonly name: string;
  readonly url: string;
  /** Path of the request that lists the models. */
  readonly list: '/api/tags' | '/v1/models';
}

const SERVERS: readonly ModelServer[] = [
  { name: 'Ollama', url: 'http://127.0.0.1:11434', list: '/api/tags' },
  { name: 'LM Studio', url: 'http://127.0.0.1:1234', list: '/v1/models' },
  { name: 'llama.cpp', url: 'http://127.0.0.1:8080', list: '/v1/models' },
];

const LIST_MS = 1_000;
/** Timeout for the trial of a model; includes loading the model. */
const TRIAL_MS = 20_000;
/** Maximum number of models to try per server. Some only compute embeddings or cannot call tools. */
const MAX_TRIALS = 3;

/** Model lists in Ollama's and in OpenAI's format. */
const Listed = z.union([
  z
    .object({ models: z.array(z.object({ name: z.string().min(1).max(200) })) })
    .transform(({ models }) => models.map(({ name }) => name)),
  z
    .object({ data: z.array(z.object({ id: z.string().min(1).max(200) })) })
    .transform(({ data }) => data.map(({ id }) => id)),
]);

/** A model that works, or the problem of every model that was tried. */
export type FoundModel =
  | { readonly variables: Readonly<Record<string, string>>; readonly server: string }
  | { readonly variables: null; readonly problem: string };

/** Describes the models to use: the configured ones, else a local one that can call tools, else offline. Throws CONFIG_INVALID. */
export async function chooseModel(report: (line: string) => void): Promise<string> {
  // Imported late, so that the module loads while Postgres starts.
  const { ModelConfig, readModelPlan } = await import('@signalbox/models/settings');
  const config = readConfig(ModelConfig);
  const { main, fallbacks } = readModelPlan(config);
  if (main.provider === null && config.MODEL === undefined) {
    const found = await findLocalModel(report);
    if (found?.variables) {
      addToEnvironment(found.variables);
      return `${found.variables['MODEL']} (${found.server} on this machine; MODEL=offline leaves it alone)`;
    }
    if (found) return `offline (built in); ${found.problem}`;
  }
  const first = main.provider === null ? 'offline (built in, needs no key)' : main.name;
  const others = fallbacks.map(({ name }) => name).filter((name) => name !== main.name);
  return [first, ...new Set(others)].join(', else ');
}

/** Searches local servers for a model that calls tools, by a trial sentence. Returns null when no server listens. */
export async function findLocalModel(
  report: (line: string) => void,
  servers: readonly ModelServer[] = SERVERS,
  trialMs = TRIAL_MS,
): Promise<FoundModel | null> {
  const lists = await Promise.all(servers.map(async (server) => ({ server, models: await listModels(server) })));
  const listening = lists.filter(({ models }) => models !== null);
  const problems: string[] = [];
  for (const { server, models } of listening) {
    for (const model of (models ?? []).slice(0, MAX_TRIALS)) {
      report(`trying whether ${server.name}'s ${model} can call tools`);
      const variables = toVariables(server, model);
      const problem = await tryVariables(variables, trialMs);
      if (problem === null) return { variables, server: server.name };
      problems.push(`${server.name}'s ${model} ${problem}`);
    }
    if (models?.length === 0) problems.push(`${server.name} has no model`);
  }
  return problems.length === 0 ? null : { variables: null, problem: problems.join('; ') };
}

/** Returns the models of a server; null when no model server answers. */
async function listModels({ url, list }: ModelServer): Promise<readonly string[] | null> {
  try {
    const answer = await fetch(`${url}${list}`, { signal: abortAfter(LIST_MS), redirect: 'error' });
    return Listed.parse(await answer.json());
  } catch {
    return null;
  }
}

function toVariables({ url, list }: ModelServer, model: string): Readonly<Record<string, string>> {
  return list === '/api/tags'
    ? { MODEL: `ollama:${model}`, OLLAMA_BASE_URL: url }
    : { MODEL: `openai_compatible:${model}`, OPENAI_COMPATIBLE_BASE_URL: `${url}/v1` };
}

/** Returns null when the model calls the requested tool, otherwise the problem. */
async function tryVariables(variables: Readonly<Record<string, string>>, trialMs: number): Promise<string | null> {
  const [{ ModelConfig, readModelPlan }, { tryModel }] = await Promise.all([
    import('@signalbox/models/settings'),
    import('@signalbox/models/trial'),
  ]);
  const plan = readModelPlan(ModelConfig.parse(variables));
  const trial = await tryModel(plan.main, plan, trialMs);
  if (trial.result === 'works') return null;
  return trial.result === 'no-call' ? 'calls no tools' : `did not answer the trial (${trial.failure.code})`;
}
