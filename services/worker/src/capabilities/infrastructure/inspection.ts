import { formatMemory } from '@signalbox/contracts/conversation/fields';
import type { InspectResult } from '@signalbox/contracts/operations/operations';
import { count } from './words.ts';

/** What came of reaching a server. */
export type Looked =
  | { readonly state: 'booked'; readonly server: string }
  | { readonly state: 'goes-on'; readonly server: string }
  | ({ readonly state: 'looked' } & InspectResult);

/** What was found, and what to do about it, for people. */
export function lookWords(looked: Looked): string {
  if (looked.state === 'booked')
    return `**${looked.server}** is only booked: it was registered without a way to reach it.`;
  if (looked.state === 'goes-on') return `I am still looking at **${looked.server}**, and tell you what I find.`;
  const { server, reached, inventory, hostKey, hostKeyTrusted, detail } = looked;
  if (reached && inventory) {
    const { cpus, memoryMb, memoryFreeMb, diskMb, diskFreeMb, engine } = inventory;
    const memory = `${formatMemory(memoryFreeMb)} of ${formatMemory(memoryMb)} memory free`;
    const disk = `${formatMemory(diskFreeMb)} of ${formatMemory(diskMb)} disk free`;
    return `**${server}** is up: ${count(cpus, 'CPU')}, ${memory}, ${disk}, ${engine}.`;
  }
  if (hostKey === null || hostKeyTrusted !== false) return detail;
  return `${detail}\n\nCompare it with what the console of ${server} says (\`ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub\`). If it is the same, tell me: trust the host key ${hostKey} of ${server}.`;
}
