/** One Ctrl-C may arrive three times (terminal, npm, bootstrap): presses within this time count as one. */
const SAME_PRESS_MS = 700;

/** Waits for Ctrl-C, SIGTERM, a closed terminal or an unexpected error. Call it once per process. */
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
    // A bug here must still stop the programs; errors while stopping are ignored.
    for (const name of ['uncaughtException', 'unhandledRejection'] as const)
      process.on(name, (error) => {
        failure ??= error instanceof Error ? error : new Error(String(error));
        if (firstAt === 0) press();
      });
  });
  // Ignores a closed terminal.
  process.stderr.on('error', () => undefined);
  return {
    signal,
    pressed,
    /** Registers a kill function for a second press, after which the process exits. */
    onSecondPress: (kill: () => void): void => void kills.push(kill),
    /** The error that caused the stop; null when a person did. */
    failure: (): Error | null => failure,
  };
}

export type StopSwitch = ReturnType<typeof createStopSwitch>;
