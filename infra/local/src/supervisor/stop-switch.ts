/** One Ctrl-C may cause three signals (from the terminal, npm and bootstrap.mjs). Signals within this time count as one. */
const SAME_PRESS_MS = 700;

/** Listens for Ctrl-C, SIGTERM, a closed terminal and unexpected errors. Call it once per process. */
export function createStopSwitch() {
  const controller = new AbortController();
  const { signal }: { readonly signal: AbortSignal } = controller;
  const kills: (() => void)[] = [];
  let firstAt = 0;
  let failure: Error | null = null;
  const pressed = new Promise<void>((resolve) => {
    const press = (): void => {
      if (firstAt === 0) {
        firstAt = Date.now();
        controller.abort();
        resolve();
        return;
      }
      if (Date.now() - firstAt < SAME_PRESS_MS) return;
      for (const kill of kills.toReversed()) kill();
      process.exit(130);
    };
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, press);
    // An unexpected error stops the programs as well; errors while stopping are ignored.
    for (const name of ['uncaughtException', 'unhandledRejection'] as const)
      process.on(name, (error) => {
        failure ??= error instanceof Error ? error : new Error(String(error));
        if (firstAt === 0) press();
      });
  });
  // Without a listener, a closed terminal would end this process.
  process.stderr.on('error', () => undefined);
  return {
    signal,
    pressed,
    /** Registers a function that kills programs after a second Ctrl-C, before this process exits. */
    onSecondPress: (kill: () => void): void => void kills.push(kill),
    /** The unexpected error that caused the stop; null when a person stopped it. */
    failure: (): Error | null => failure,
  };
}

export type StopSwitch = ReturnType<typeof createStopSwitch>;
