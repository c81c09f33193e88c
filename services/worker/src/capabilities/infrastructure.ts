import { toolGroup } from '../tools/tool.ts';
import { findSuitableServer } from './infrastructure/placing.ts';
import { allocatePort, getNextAvailablePort, listAllocations, releasePort } from './infrastructure/ports.ts';
import { registerServer } from './infrastructure/register.ts';
import { inspectServer, listManagedServers, trustHostKey } from './infrastructure/servers.ts';

export default toolGroup({
  name: 'infrastructure',
  summary: 'Servers and ports: list, register and inspect servers, find one with room, allocate and release ports.',
  uses: ['servers', 'portAllocations'],
  tools: {
    list_managed_servers: listManagedServers,
    find_suitable_server: findSuitableServer,
    register_server: registerServer,
    inspect_server: inspectServer,
    trust_host_key: trustHostKey,
    allocate_port: allocatePort,
    get_next_available_port: getNextAvailablePort,
    list_allocations: listAllocations,
    release_port: releasePort,
  },
});
