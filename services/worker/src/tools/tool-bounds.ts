import { setTimeout as delay } from 'node:timers/promises';
import type { Ports } from './ports/ports.ts';
import type { ToolGroup } from './tool.ts';

/** The time that a tool has to stop after its signal fired. */
const GRACE_MS = 250;

/** Limits the ports to those that the group declared; access to another port throws, since it is a mistake of the capability's author. */
export function limitPorts(ports: Ports, group: ToolGroup): Ports {
  return new Proxy(ports, {
    get: (target, name) => {
      if (!group.uses.some((port) => port === name)) {
        throw new Error(
          `capability ${group.name} touched the port ${String(name)} without declaring it: add it to "uses".`,
        );
      }
      return Reflect.get(target, name) as unknown;
    },
  });
}

/** Rejects a moment after the signal fired, even when the tool does not listen to the signal. */
export async function abortWithSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    const give = (): void => void delay(GRACE_MS).then(() => reject(signal.reason as Error)); // our own signals are aborted with errors
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
  });
  aborted.catch(() => undefined); // the race below has ended by then
  return Promise.race([work, aborted]);
}
