import { BASE_DEFINITIONS } from '@signalbox/worker/agents/product-owner/base-tools';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';

/**
 * Characters of tool definitions that a model is given for a request of one capability group, to those with all groups bound. Providers
 * count tokens in ways of their own; for JSON of one kind they are proportional to characters.
 */
export async function measureDefinitions(): Promise<number> {
  const registry = createRegistry(await loadCapabilities());
  const sizeOf = (groups: readonly string[]): number =>
    JSON.stringify([...BASE_DEFINITIONS, ...registry.definitions(groups)]).length;
  return sizeOf(['project_management']) / sizeOf(registry.groups.map(({ name }) => name));
}
