import { z } from 'zod';
import { AppError } from '@signalbox/contracts/errors';
import { findNearestName } from '@signalbox/contracts/nearest-name';
import { MINUTE_MS } from '@signalbox/contracts/time';
import type { CallOptions } from './port.ts';
import { acceptsPictures } from './pictures.ts';
import { PROVIDERS, ProvidersConfig } from './providers/all.ts';
import type { ModelAccess, Provider } from './providers/provider.ts';

const integer = z.coerce.number().int();

/** Environment variables for models. A service that uses models spreads `ModelConfig.shape` into its own config. */
export const ModelConfig = ProvidersConfig.extend({
  /**
   * The main model: `provider` or `provider:model`; `offline` is the built-in planner. Not set: the first provider with a key, else
   * offline.
   */
  MODEL: z.string().optional(),
  /** Fallback models in order, comma-separated, such as `anthropic:claude-sonnet-5,offline`. */
  MODEL_FALLBACK: z.string().optional(),
  /** Models of single agents or nodes: `agent=model` or `agent.node=model`, comma-separated. */
  MODEL_FOR: z.string().optional(),
  /** Models that accept pictures: `provider:model`, comma-separated; `*` matches any characters. Not set: a built-in list. */
  MODEL_SEES: z.string().optional(),
  /** The milliseconds of silence after which a try is given up. */
  MODEL_TIMEOUT_MS: integer
    .min(100)
    .max(10 * MINUTE_MS)
    .default(MINUTE_MS), // longer than large models pause
  /** The milliseconds for one model's answer with all tries; after them a model of MODEL_FALLBACK is used. */
  MODEL_DEADLINE_MS: integer
    .min(100)
    .max(60 * MINUTE_MS)
    .default(3 * MINUTE_MS), // after a longer wait people think that the call failed
  /** The most calls at once with one key of a provider, over all workers. Not set: as many as it takes, which its 429 teaches. */
  MODEL_CONCURRENCY: integer.min(1).max(10_000).optional(),
  /** The temperature of every model that takes one. Not set: 0, and for models whose makers advise against it their own. */
  MODEL_TEMPERATURE: z.coerce.number().min(0).max(2).optional(),
  /** The longest answer of a model in tokens, thoughts included; a longer answer is cut, and none of its calls runs. */
  MODEL_MAX_OUTPUT_TOKENS: integer.min(256).max(1_000_000).default(8_192), // OpenAI's rate limits count it for each call, used or not
  /** A JSON file of prices that override entries of infra/models/prices.json, in its form. */
  MODEL_PRICES_FILE: z.string().optional(),
});
export type ModelConfig = z.infer<typeof ModelConfig>;

export const OFFLINE = 'offline';

/** The settings of one model on a server. */
export interface RemoteSettings extends ModelAccess {
  /** The model's name as `provider:model`. */
  readonly name: string;
  readonly provider: Provider;
  /** True when the model accepts pictures. */
  readonly sees: boolean;
  /** Settings of each call; without a temperature the provider's own default holds. */
  readonly options: CallOptions;
}

export type ModelSettings = RemoteSettings | { readonly name: typeof OFFLINE; readonly provider: null };

export interface ModelPlan {
  readonly main: ModelSettings;
  /** Fallback models, tried in this order when the main model cannot answer. */
  readonly fallbacks: readonly ModelSettings[];
  /** Models by `agent` or `agent.node`. */
  readonly targets: ReadonlyMap<string, ModelSettings>;
  readonly limits: { readonly silenceMs: number; readonly deadlineMs: number };
  readonly pricesFile: string | null;
}

/** Reads the models from the environment variables. Throws CONFIG_INVALID with all problems and what to set, never a secret value. */
export function readModelPlan(config: ModelConfig): ModelPlan {
  const problems: string[] = [];
  const resolve = (variable: string, text: string): ModelSettings => {
    const found = findModel(config, text);
    if (typeof found !== 'string') return found;
    problems.push(`${variable}: ${found}`);
    return { name: OFFLINE, provider: null };
  };
  const plan = {
    main: resolve('MODEL', config.MODEL ?? PROVIDERS.find((provider) => provider.read(config).chosen)?.id ?? OFFLINE),
    fallbacks: splitList(config.MODEL_FALLBACK).map((text) => resolve('MODEL_FALLBACK', text)),
    targets: new Map(
      splitList(config.MODEL_FOR).map((entry): [string, ModelSettings] => {
        const [target = '', ...rest] = entry.split('=');
        if (rest.length > 0 && target.trim() !== '') return [target.trim(), resolve('MODEL_FOR', rest.join('='))];
        problems.push('MODEL_FOR: each entry has to be written as agent=model or agent.node=model');
        return [entry, { name: OFFLINE, provider: null }];
      }),
    ),
    limits: { silenceMs: config.MODEL_TIMEOUT_MS, deadlineMs: config.MODEL_DEADLINE_MS },
    pricesFile: config.MODEL_PRICES_FILE ?? null,
  };
  if (problems.length > 0) throw new AppError('CONFIG_INVALID', { problems: [...new Set(problems)].join('; ') });
  return plan;
}

/** Checks that the agents and nodes in MODEL_FOR exist. Throws CONFIG_INVALID with a list of existing ones. */
export function checkTargets(
  plan: Pick<ModelPlan, 'targets'>,
  agents: readonly { readonly id: string; readonly nodes: readonly string[] }[],
): void {
  const valid = agents.flatMap(({ id, nodes }) => [id, ...nodes.map((node) => `${id}.${node}`)]);
  const unknown = [...plan.targets.keys()].filter((target) => !valid.includes(target));
  if (unknown.length === 0) return;
  const problems = unknown.map(
    (target) => `MODEL_FOR: there is no agent or node ${target}; there are ${valid.join(', ')}`,
  );
  throw new AppError('CONFIG_INVALID', { problems: problems.join('; ') });
}

/** Lists every configured model once, the main model first, each with its role. */
export function listModels(plan: ModelPlan): readonly { readonly settings: ModelSettings; readonly role: string }[] {
  const all = [
    { settings: plan.main, role: 'model' },
    ...plan.fallbacks.map((settings) => ({ settings, role: 'fallback' })),
    ...[...plan.targets].map(([target, settings]) => ({ settings, role: `model of ${target}` })),
  ];
  return all.filter(({ settings }, index) => all.findIndex((other) => other.settings.name === settings.name) === index);
}

/** Finds the model that a text names, or describes the problem. */
function findModel(config: ModelConfig, text: string): ModelSettings | string {
  const [id = '', ...rest] = text.trim().split(':'); // model names may contain colons
  if (id === OFFLINE) return { name: OFFLINE, provider: null };
  const provider = PROVIDERS.find((candidate) => candidate.id === id);
  if (!provider) return describeUnknownProvider(id);
  const { missing, apiKey, baseURL, model: defaultModel } = provider.read(config);
  const model = rest.join(':').trim() || defaultModel;
  const problems = [
    ...missing,
    ...(model ? [] : [`needs the name of a model: ${id}:name, or ${provider.variables.model}`]),
  ];
  if (!model || problems.length > 0) return problems.map((what) => `${id} ${what}`).join('; ');
  const name = `${id}:${model}`;
  const options = { temperature: config.MODEL_TEMPERATURE, maxOutputTokens: config.MODEL_MAX_OUTPUT_TOKENS };
  return { name, provider, model, apiKey, baseURL, sees: acceptsPictures(name, config.MODEL_SEES), options };
}

function describeUnknownProvider(id: string): string {
  const known = [OFFLINE, ...PROVIDERS.map((provider) => provider.id)];
  const near = findNearestName(id, known);
  const meant = near ? ` (did you mean ${near}?)` : '';
  // The text may be a key by mistake, so only plausible names are shown.
  const shown = /^[a-z_-]{1,24}$/i.test(id) ? ` named ${id}${meant}` : ' of that name';
  return `there is no provider${shown}; there are ${known.join(', ')}`;
}

function splitList(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}
