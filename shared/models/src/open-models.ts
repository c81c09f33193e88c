import type { Log } from '@signalbox/platform/log';
import { createCircuit } from './retry/circuit.ts';
import { nameGate, type ModelGate } from './retry/gate.ts';
import { createFallbackModel, type Candidate } from './retry/fallback.ts';
import type { ToolCatalog, BoundTool } from '@signalbox/contracts/tool-catalog';
import { OfflineChatModel } from '@signalbox/planner/chat-model';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { Model, ModelObserver, Models, ModelRequest } from './port.ts';
import { computeCost, loadPrices, type Prices } from './prices.ts';
import { createRemoteModel } from './remote-model.ts';
import { listModels, OFFLINE, type ModelPlan, type ModelSettings } from './settings.ts';
import { toModelError } from './retry/failure.ts';
import { toOpenAiTools, toForcedTool } from './providers/provider.ts';

type Bound = Pick<BaseChatModel, 'invoke'>;

export interface OpenModelsOptions {
  /** Returns the current tools; called for each answer of the built-in planner, because capabilities may change. */
  readonly catalog: () => ToolCatalog;
  readonly log: Pick<Log, 'warn' | 'error'>;
  readonly observer?: ModelObserver;
  /** Returns the gate of a provider by its name, for limits that all workers share. */
  readonly gates?: (name: string) => ModelGate;
}

/**
 * Opens every model of a plan. Loads one client library per provider in use and calls no model. Throws CONFIG_INVALID when the price file
 * cannot be read.
 */
export async function openModels(plan: ModelPlan, options: OpenModelsOptions): Promise<Models> {
  const all = listModels(plan);
  const remote = all.some(({ settings }) => settings.provider !== null);
  const prices = remote ? await loadPrices(plan.pricesFile) : new Map();
  const observer: ModelObserver = {
    onRefusedSetting: (refusal) => options.log.warn('a model refuses a setting and is asked without it', refusal),
    ...options.observer,
  };
  const opened = await Promise.all(
    all.map(async ({ settings }): Promise<[string, Candidate]> => {
      const model = await openModel(settings, { ...options, observer, prices, limits: plan.limits });
      return [settings.name, { model, circuit: createCircuit() }];
    }),
  );
  const candidates = new Map(opened);
  // As a fallback the built-in planner may only read, because it understands less than a model.
  const offlineFallback: Candidate = {
    model: openPlanner({ ...options, mayChange: false }),
    circuit: createCircuit(),
  };

  const withFallbacks = (settings: ModelSettings): Model => {
    const [first = settings.name, ...rest] = new Set([settings, ...plan.fallbacks].map(({ name }) => name));
    return createFallbackModel(
      [find(first), ...rest.map((name) => (name === OFFLINE ? offlineFallback : find(name)))],
      options.log,
    );
  };
  const find = (name: string): Candidate => {
    const candidate = candidates.get(name);
    if (!candidate) throw new Error(`the model ${name} was not opened`); // unreachable: listModels lists every model of the plan
    return candidate;
  };
  const main = withFallbacks(plan.main);
  const targets = new Map([...plan.targets].map(([target, settings]) => [target, withFallbacks(settings)]));
  return {
    names: [...new Set([plan.main, ...plan.fallbacks].map(({ name }) => name))],
    of: (agent, node) => targets.get(`${agent}.${node}`) ?? targets.get(agent) ?? main,
  };
}

/** Opens one model without fallbacks. */
export async function openModel(
  settings: ModelSettings,
  options: Omit<OpenModelsOptions, 'log'> & {
    readonly log?: OpenModelsOptions['log'];
    readonly prices: Prices;
    readonly limits: ModelPlan['limits'];
    readonly tries?: number;
  },
): Promise<Model> {
  if (settings.provider === null) return openPlanner({ ...options, mayChange: true });
  return createRemoteModel({
    settings,
    wire: await settings.provider.open(settings),
    silenceMs: options.limits.silenceMs,
    deadlineMs: options.limits.deadlineMs,
    ...(options.gates ? { gate: options.gates(nameGate(settings)) } : {}),
    cost: (tokens) => computeCost(options.prices, settings.name, tokens),
    ...(options.log === undefined ? {} : { log: options.log }),
    ...(options.tries === undefined ? {} : { tries: options.tries }),
    ...options.observer,
  });
}

function openPlanner(options: Omit<OpenModelsOptions, 'log'> & { readonly mayChange: boolean }): Model {
  const { catalog, mayChange, observer } = options;
  return createLocalModel(new OfflineChatModel({ catalog, mayChange }), OFFLINE, observer);
}

/** Wraps a chat model of this process, such as the offline planner: no retries, deadline, cost or drafts. */
export function createLocalModel(chat: BaseChatModel, name: string, observer: ModelObserver = {}): Model {
  const bind = createToolBinder(chat);
  const spend = { model: name, inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: 0 };
  return {
    name,
    ask: async ({ messages, tools, object, signal, onSpend }: ModelRequest) => {
      const startedAt = performance.now();
      const report = (result: string): void =>
        observer.onCall?.({ model: name, result, durationMs: performance.now() - startedAt });
      try {
        const model = object ? bind([toForcedTool(object)], object.name) : bind(tools);
        const message = await model.invoke([...messages], { signal });
        report('answered');
        onSpend?.(spend);
        return { message, model: name };
      } catch (thrown) {
        report(signal.aborted ? 'aborted' : 'failed');
        throw signal.aborted ? thrown : toModelError(thrown);
      }
    },
  };
}

/** Caches models bound to tools, per set of tools: binding is slow and depends only on the tools' names. */
function createToolBinder(model: BaseChatModel): (tools: readonly BoundTool[], force?: string) => Bound {
  const bound = new Map<string, Bound>();
  return (tools, force) => {
    const key = [force ?? '', ...tools.map((tool) => tool.name)].join(' ');
    const known = bound.get(key);
    if (known) return known;
    if (!model.bindTools) throw new Error(`the chat model ${model._llmType()} cannot call tools; choose one that can.`);
    const fresh = model.bindTools(toOpenAiTools(tools), force ? { tool_choice: force } : {});
    bound.set(key, fresh);
    return fresh;
  };
}
