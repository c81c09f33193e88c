import { z } from 'zod';
import { AppError } from '@signalbox/contracts/errors';
import { findNearestName } from '@signalbox/contracts/nearest-name';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { canSee } from './pictures.ts';
import { PROVIDERS, ProvidersConfig } from './providers/all.ts';
import type { ModelAccess, Provider } from './providers/provider.ts';

/** Variables of the models. A service that thinks spreads `ModelConfig.shape` into its own config. */
export const ModelConfig = ProvidersConfig.extend({
  /** Who answers: `provider` or `provider:model`; `offline` is the built-in planner. Not set: the first provider with a key, else offline. */
  MODEL: z.string().optional(),
  /** Who answers when that one cannot: models in order, separated by commas, such as `anthropic:claude-sonnet-5,offline`. */
  MODEL_FALLBACK: z.string().optional(),
  /** Other models for an agent or one node of it: `agent=model` or `agent.node=model`, separated by commas. */
  MODEL_FOR: z.string().optional(),
  /**
   * The models that can look at pictures, as `provider:model`, separated by commas; `*` stands for any characters. Not set: those that
   * are known to.
   */
  MODEL_SEES: z.string().optional(),
  /** Milliseconds of silence after which a try is given up. */
  MODEL_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(100)
    .max(10 * MINUTE_MS)
    .default(MINUTE_MS), // above the slowest honest pause of a large model
  /** Milliseconds that one model gets for an answer, with all tries; then the next of MODEL_FALLBACK is asked. */
  MODEL_DEADLINE_MS: z.coerce
    .number()
    .int()
    .min(100)
    .max(60 * MINUTE_MS)
    .default(3 * MINUTE_MS), // a turn that waits longer looks dead to the person
  /** A JSON file of prices in the form of infra/models/prices.json; its entries go before those of that file. */
  MODEL_PRICES_FILE: z.string().optional(),
});
export type ModelConfig = z.infer<typeof ModelConfig>;

export const OFFLINE = 'offline';

/** One model on a server. */
export interface RemoteSettings extends ModelAccess {
  /** `provider:model`. */
  readonly name: string;
  readonly provider: Provider;
  /** Whether it can look at pictures. */
  readonly sees: boolean;
}

export type ModelSettings = RemoteSettings | { readonly name: typeof OFFLINE; readonly provider: null };

export interface ModelPlan {
  readonly main: ModelSettings;
  /** Asked in this order when the first cannot answer. */
  readonly fallbacks: readonly ModelSettings[];
  /** By `agent` or `agent.node`. */
  readonly targets: ReadonlyMap<string, ModelSettings>;
  readonly limits: { readonly silenceMs: number; readonly deadlineMs: number };
  readonly pricesFile: string | null;
}

/** Reads the plan out of the variables. Throws CONFIG_INVALID that lists every problem with what to set, never a value that is secret. */
export function readModelPlan(config: ModelConfig): ModelPlan {
  const problems: string[] = [];
  const settle = (variable: string, text: string): ModelSettings => {
    const found = findModel(config, text);
    if (typeof found !== 'string') return found;
    problems.push(`${variable}: ${found}`);
    return { name: OFFLINE, provider: null };
  };
  const plan = {
    main: settle('MODEL', config.MODEL ?? chosenProvider(config)),
    fallbacks: splitList(config.MODEL_FALLBACK).map((text) => settle('MODEL_FALLBACK', text)),
    targets: new Map(
      splitList(config.MODEL_FOR).map((entry): [string, ModelSettings] => {
        const [target = '', ...rest] = entry.split('=');
        if (rest.length > 0 && target.trim() !== '') return [target.trim(), settle('MODEL_FOR', rest.join('='))];
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

/** What is said of MODEL_FOR's targets when the agents are known. Throws CONFIG_INVALID that names the valid ones. */
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

/** Every model of a plan once, the main one first, each with the variable that names it. */
export function listModels(plan: ModelPlan): readonly { readonly settings: ModelSettings; readonly role: string }[] {
  const all = [
    { settings: plan.main, role: 'model' },
    ...plan.fallbacks.map((settings) => ({ settings, role: 'fallback' })),
    ...[...plan.targets].map(([target, settings]) => ({ settings, role: `model of ${target}` })),
  ];
  return all.filter(({ settings }, index) => all.findIndex((other) => other.settings.name === settings.name) === index);
}

/** The model that a text names, or what is wrong with it. */
function findModel(config: ModelConfig, text: string): ModelSettings | string {
  const [id = '', ...rest] = text.trim().split(':'); // names of models may hold colons too
  if (id === OFFLINE) return { name: OFFLINE, provider: null };
  const provider = PROVIDERS.find((candidate) => candidate.id === id);
  if (!provider) return unknownProvider(id);
  const { missing, apiKey, baseURL, model: usual } = provider.read(config);
  const model = rest.join(':').trim() || usual;
  const lacks = [
    ...missing,
    ...(model ? [] : [`needs the name of a model: ${id}:name, or ${provider.variables.model}`]),
  ];
  if (!model || lacks.length > 0) return lacks.map((what) => `${id} ${what}`).join('; ');
  const name = `${id}:${model}`;
  return { name, provider, model, apiKey, baseURL, sees: canSee(name, config.MODEL_SEES) };
}

function unknownProvider(id: string): string {
  const known = [OFFLINE, ...PROVIDERS.map((provider) => provider.id)];
  const near = findNearestName(id, known);
  const meant = near ? ` (did you mean ${near}?)` : '';
  // The key may stand here by mistake: what does not look like a name is not repeated.
  const shown = /^[a-z_-]{1,24}$/i.test(id) ? ` named ${id}${meant}` : ' of that name';
  return `there is no provider${shown}; there are ${known.join(', ')}`;
}

function chosenProvider(config: ModelConfig): string {
  return PROVIDERS.find((provider) => provider.read(config).chosen)?.id ?? OFFLINE;
}

function splitList(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}
