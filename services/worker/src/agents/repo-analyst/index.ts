import { limitOfferedTools } from '../../tools/agent-groups.ts';
import type { AgentPlugin } from '../agent.ts';
import productOwner from '../product-owner/index.ts';

const ID = 'repo_analyst';

/** Uses the default agent's graph, limited to tools that inspect repositories and record decisions about findings. */
const plugin: AgentPlugin = {
  ...productOwner,
  id: ID,
  class: 'REGISTRY_STATE',
  summary: 'Looks into the code of your projects: secrets, dependencies, technical debt, documentation.',
  create: (parts) => productOwner.create({ ...parts, registry: limitOfferedTools(ID, parts.registry) }),
};

export default plugin;
