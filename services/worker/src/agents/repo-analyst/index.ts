import { offerTo } from '../../tools/agent-groups.ts';
import type { AgentPlugin } from '../agent.ts';
import productOwner from '../product-owner/index.ts';

const ID = 'repo_analyst';

/** Talks as the default agent does, and can do nothing but look into repositories and keep what was decided about findings. */
const plugin: AgentPlugin = {
  ...productOwner,
  id: ID,
  class: 'REGISTRY_STATE',
  summary: 'Looks into the code of your projects: secrets, dependencies, technical debt, documentation.',
  create: (parts) => productOwner.create({ ...parts, registry: offerTo(ID, parts.registry) }),
};

export default plugin;
