import { readConfig } from '@signalbox/platform/config';
import type { ModelFailure } from '@signalbox/models/retry/failure';
import { listModels, ModelConfig, readModelPlan, type RemoteSettings } from '@signalbox/models/settings';
import { tryModel } from '@signalbox/models/trial';
import { SECOND_MS } from '@signalbox/contracts/time';
import { sayDuration } from '@signalbox/messages/duration';
import type { CommandContext } from '../command.ts';
import { createFailure, createOk, createWarning, type CheckResult } from './finding.ts';

/** A model that needs longer for a tiny call is unusable. */
const DEADLINE_MS = 20 * SECOND_MS;

/** Checks the model settings, and every configured model with one tiny call. */
export async function checkModel({ environment }: CommandContext): Promise<readonly CheckResult[]> {
  try {
    const plan = readModelPlan(readConfig(ModelConfig, environment));
    return await Promise.all(
      listModels(plan).map(async ({ settings, role }): Promise<CheckResult> => {
        if (settings.provider === null) return createOk(role, 'offline (built in, needs no key)');
        const deadlineMs = Math.min(DEADLINE_MS, plan.limits.deadlineMs);
        const trial = await tryModel(settings, plan, deadlineMs);
        const where = `${settings.name} at ${new URL(settings.baseURL).host}`;
        switch (trial.result) {
          case 'works':
            if (trial.refusesTemperature && settings.options.temperature !== undefined)
              return createWarning(
                role,
                `${where} answers and calls tools, and refuses MODEL_TEMPERATURE`,
                'Take MODEL_TEMPERATURE out, or choose a model that takes one. Until then the model is asked without it.',
              );
            return createOk(role, `${where} answers and calls tools (${sayDuration(trial.durationMs)})`);
          case 'no-call':
            return createWarning(
              role,
              `${where} answers, but did not call a tool when told to`,
              `Choose a model that is made for tools in ${settings.provider.variables.model} or MODEL.`,
            );
          case 'failed':
            return explain({ role, where, settings, deadlineMs }, trial.failure);
        }
      }),
    );
  } catch (error) {
    const say = error instanceof Error ? error.message : String(error);
    return [createFailure('model', say, 'Set what is named; .env.example explains each variable.')];
  }
}

function explain(
  asked: {
    readonly role: string;
    readonly where: string;
    readonly settings: RemoteSettings;
    readonly deadlineMs: number;
  },
  failure: ModelFailure,
): CheckResult {
  const { role, where, deadlineMs } = asked;
  const { provider, model } = asked.settings;
  const { key, url, model: name } = provider.variables;
  const status = failure.status === null ? '' : ` (HTTP ${failure.status})`;
  const detail = failure.detail === null ? '' : `: ${failure.detail}`;
  switch (failure.code) {
    case 'unauthorized':
      return createFailure(
        role,
        `${where} refuses the key${status}`,
        `Put a valid key into ${key ?? `what ${url} asks for`}.`,
      );
    case 'no-credit':
      return createFailure(
        role,
        `${where} has no credit left${status}`,
        'Add credit to the account, or use another key.',
      );
    case 'model-unknown':
      return createFailure(
        role,
        `${where} knows no model ${model}${status}${detail}`,
        `Correct the name in ${name} or MODEL${provider.id === 'ollama' ? `, or pull it: ollama pull ${model}` : ''}; or the path in ${url}.`,
      );
    case 'network':
      return createFailure(
        role,
        `${where} cannot be reached`,
        `Start it, or correct ${url}; look at the network and its proxy.`,
      );
    case 'timeout':
      return createFailure(
        role,
        `${where} did not answer within ${sayDuration(deadlineMs)}`,
        'It is too slow or hangs: choose a smaller or another model.',
      );
    case 'rate-limited':
      return createWarning(
        role,
        `${where} limits our rate${status}`,
        'Wait a minute, or raise the limit of the account.',
      );
    case 'too-long':
      return createFailure(
        role,
        `${where} has no room for a short question${status}${detail}`,
        `Choose a model with a larger context in ${name} or MODEL, or give its server a larger one.`,
      );
    case 'cut':
    case 'not-chat':
      return createFailure(
        role,
        `${where} answers something that is not a streamed chat${detail}`,
        `${url} has to name a server of this kind.`,
      );
    case 'server-error':
      return createFailure(
        role,
        `${where} fails${status}${detail}`,
        "Look at the provider's status page, or at the log of the server.",
      );
    case 'refused':
      return createFailure(
        role,
        `${where} refuses a call with a tool${status}${detail}`,
        `Look at what it refuses. Choose a model that can call tools in ${name} or MODEL.`,
      );
  }
}
