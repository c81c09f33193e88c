import { z } from 'zod';
import { abortAfter } from '@signalbox/contracts/time';

/** A program that serves language models, where it listens unless somebody has told it otherwise. */
export interface ModelServer {
  readonly name: string;
  readonly url: string;
  /** The path that lists its models. */
  readonly list: '/api/tags' | '/v1/models';
}

const SERVERS: readonly ModelServer[] = [
  { name: 'Ollama', url: 'http://127.0.0.1:11434', list: '/api/tags' },
  { name: 'LM Studio', url: 'http://127.0.0.1:1234', list: '/v1/models' },
  { name: 'llama.cpp', url: 'http://127.0.0.1:8080', list: '/v1/models' },
];

/** Nobody who listens on this machine takes longer to say what there is. */
const LIST_MS = 1_000;
/** A server may have to load the model before it answers. */
const TRIAL_MS = 20_000;
/** Models of one server that are tried: some only embed, or cannot call tools. */
const MAX_TRIED = 3;

/** Ollama's list and that of OpenAI's protocol. */
const Listed = z.union([
  z
    .object({ models: z.array(z.object({ name: z.string().min(1).max(200) })) })
    .transform(({ models }) => models.map(({ name }) => name)),
  z
    .object({ data: z.array(z.object({ id: z.string().min(1).max(200) })) })
    .transform(({ data }) => data.map(({ id }) => id)),
]);

/** A model that can be used, or what is said of those that cannot. */
export type FoundModel =
  | { readonly variables: Readonly<Record<string, string>>; readonly server: string }
  | { readonly variables: null; readonly problem: string };

/**
 * Looks for a model server on this machine and tries whether one of its models calls a tool. Null when no server listens. Nothing is
 * sent but a trial sentence, and nothing leaves the machine.
 */
export async function findLocalModel(
  report: (line: string) => void,
  servers: readonly ModelServer[] = SERVERS,
  trialMs = TRIAL_MS,
): Promise<FoundModel | null> {
  const lists = await Promise.all(servers.map(async (server) => ({ server, models: await listModels(server) })));
  const listening = lists.filter(({ models }) => models !== null);
  const problems: string[] = [];
  for (const { server, models } of listening) {
    for (const model of (models ?? []).slice(0, MAX_TRIED)) {
      report(`trying whether ${server.name}'s ${model} can call tools`);
      const variables = variablesOf(server, model);
      const problem = await tryVariables(variables, trialMs);
      if (problem === null) return { variables, server: server.name };
      problems.push(`${server.name}'s ${model} ${problem}`);
    }
    if (models?.length === 0) problems.push(`${server.name} has no model`);
  }
  return problems.length === 0 ? null : { variables: null, problem: problems.join('; ') };
}

/** The names of its models; null when nobody, or somebody else, listens there. */
async function listModels({ url, list }: ModelServer): Promise<readonly string[] | null> {
  try {
    const answer = await fetch(`${url}${list}`, { signal: abortAfter(LIST_MS), redirect: 'error' });
    return Listed.parse(await answer.json());
  } catch {
    return null;
  }
}

function variablesOf({ url, list }: ModelServer, model: string): Readonly<Record<string, string>> {
  return list === '/api/tags'
    ? { MODEL: `ollama:${model}`, OLLAMA_BASE_URL: url }
    : { MODEL: `openai_compatible:${model}`, OPENAI_COMPATIBLE_BASE_URL: `${url}/v1` };
}

/** Null when the model calls the tool that it is told to call. */
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
