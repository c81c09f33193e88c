import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { getMessageText } from '@signalbox/models/message-text';
import { createScriptedModels, type ModelScript } from '../../support/scripted-model.ts';
import { runService } from '@signalbox/platform/lifecycle';
import { createLog } from '@signalbox/platform/log';
import { loadConfig } from '@signalbox/worker/config';
import { createWiring } from '@signalbox/worker/wire';
import { createWorker } from '@signalbox/worker/worker';
import { answerTo } from './model-script.ts';

// The product's worker with the fixed model in its process: what a model takes is no part of the comparison.

const TOOLS = { read: 'get_project_status', write: 'create_project_intent' };

const script: ModelScript = (messages, tools) => {
  if (tools.some(({ name }) => name === 'classify_intent')) {
    const args = { task_summary: 'bench', capabilities: ['project_management'], project: null };
    return { toolCalls: [{ name: 'classify_intent', args }] };
  }
  const last = messages.findLastIndex(HumanMessage.isInstance);
  const request = messages[last];
  return answerTo(request ? getMessageText(request) : '', TOOLS, messages.slice(last).some(ToolMessage.isInstance));
};

const config = loadConfig();
const log = createLog('worker', config.LOG_LEVEL);
await runService(log, async (own) => {
  await createWorker(own, config, log, {
    ...createWiring(config, log),
    models: () => Promise.resolve(createScriptedModels(script)),
  });
});
